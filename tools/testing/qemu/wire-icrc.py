#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""
wire-icrc.py CAPTURE SERVICES: runs on the host; judges captured RoCEv2 packets without any code of
ours.

F08: the ICRC of each packet is recomputed with zlib's crc32 over the fields that IBTA annex
A17.3.3 names, pad bytes included; the pad count has to fit the length; and what tshark calls
malformed, or has an expert's opinion on, is a failure. Each kind of packet of SERVICES, as in
RC,UC,UD, must have come from each end. Prints TAP.
"""
import collections
import struct
import subprocess
import sys
import zlib

ETHERNET = 14
# IBTA table 38: the upper three bits are the service, the lower five what it does.
SERVICES = {'RC': 0x00, 'UC': 0x20, 'UD': 0x60, 'XRC': 0xa0}
SENDS_AND_WRITES = {0x00: 'SEND first', 0x01: 'SEND middle', 0x02: 'SEND last',
                    0x03: 'SEND last with immediate', 0x04: 'SEND only',
                    0x05: 'SEND only with immediate', 0x06: 'WRITE first', 0x07: 'WRITE middle',
                    0x08: 'WRITE last', 0x09: 'WRITE last with immediate', 0x0a: 'WRITE only',
                    0x0b: 'WRITE only with immediate'}
ANSWERED = {0x0c: 'READ request', 0x0d: 'READ response first', 0x0e: 'READ response middle',
            0x0f: 'READ response last', 0x10: 'READ response only', 0x11: 'acknowledge',
            0x12: 'atomic acknowledge', 0x13: 'compare and swap', 0x14: 'fetch and add'}
INVALIDATE = {0x16: 'SEND last with invalidate', 0x17: 'SEND only with invalidate'}
KINDS = {'RC': SENDS_AND_WRITES | ANSWERED | INVALIDATE, 'UC': SENDS_AND_WRITES,
         'UD': {0x04: 'SEND only', 0x05: 'SEND only with immediate'},
         'XRC': SENDS_AND_WRITES | ANSWERED}
# tshark guesses at payload; what programs fill their buffers with is no protocol at all.
GUESSES = ['fcoib', 'infiniband_sdp', 'iser', 'lnet', 'nvme-rdma', 'rpcordma', 'smb_direct', 'smc']


def packets(path):
    """The IP packets of a capture of Ethernet."""
    with open(path, 'rb') as capture:
        data = capture.read()
    order = '<' if data[:4] == b'\xd4\xc3\xb2\xa1' else '>'
    at = 24
    while at + 16 <= len(data):
        length = struct.unpack_from(order + 'I', data, at + 8)[0]
        yield data[at + 16 + ETHERNET:at + 16 + length]
        at += 16 + length


def icrc_bytes(ip):
    """What the ICRC covers, the ICRC as it stands in the packet, BTH and what follows."""
    if ip[0] >> 4 == 4:
        end = struct.unpack_from('>H', ip, 2)[0]
        size, variant = 20, [1, 8, 10, 11]
    else:
        end = 40 + struct.unpack_from('>H', ip, 4)[0]
        size, variant = 40, [1, 2, 3, 7]
    head = bytearray(ip[:size + 8 + 12])
    if size == 40:
        head[0] |= 0x0f
    for at in variant + [size + 6, size + 7, size + 8 + 4]:
        head[at] = 0xff
    return b'\xff' * 8 + bytes(head) + ip[len(head):end - 4], ip[end - 4:end], ip[size + 8:end - 4]


def host_of(ip):
    """The last byte of the address that sent it: 1 is the near end, 2 the far one."""
    return ip[15] if ip[0] >> 4 == 4 else ip[23]


def judge(path):
    """Opcodes seen from each end, and what was wrong with them."""
    seen, wrong = collections.Counter(), collections.Counter()
    for ip in packets(path):
        covered, icrc, bth = icrc_bytes(ip)
        seen[bth[0], host_of(ip)] += 1
        if struct.pack('<I', zlib.crc32(covered)) != icrc:
            wrong[bth[0], 'ICRC'] += 1
        if len(bth) % 4:
            wrong[bth[0], 'length'] += 1
    return seen, wrong


def opinions(path):
    """What tshark has to say against packets."""
    guesses = [word for guess in GUESSES for word in ('--disable-protocol', guess)]
    # Over IPv6, too, the ICRC stands for UDP's checksum, which is 0 (RFC 6936; rdma_rxe's as well).
    done = subprocess.run(['tshark', *guesses, '-o', 'infiniband.identify_payload:FALSE',
                           '-o', 'udp.ignore_ipv6_zero_checksum:TRUE', '-r', path,
                           '-Y', 'infiniband && (_ws.malformed || _ws.expert.severity >= 6291456)',
                           '-T', 'fields', '-e', 'frame.number', '-e', 'frame.protocols',
                           '-e', 'infiniband.bth.opcode', '-e', '_ws.expert.message'],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode:
        return [done.stderr.decode(errors='replace')]
    return done.stdout.decode(errors='replace').splitlines()


def main():
    path, services = sys.argv[1], sys.argv[2].split(',')
    seen, wrong = judge(path)
    needed = {SERVICES[service] | opcode: f'{service} {name}'
              for service in services for opcode, name in KINDS[service].items()}
    failed = 0
    for opcode, name in needed.items():
        bad = [f'{n} times {what}' for (op, what), n in wrong.items() if op == opcode]
        near, far = seen[opcode, 1], seen[opcode, 2]
        good = near and far and not bad
        failed += not good
        print(f'{"ok" if good else "not ok"} - F08 icrc: {name}: {near} packets there, {far} back'
              f'{": wrong " if bad else ""}{", ".join(bad)}')
    others = sum(n for (op, _), n in wrong.items() if op not in needed)
    print(f'{"not ok" if others else "ok"} - icrc: of other opcodes {others} are wrong')
    against = opinions(path)
    for line in against[:10]:
        print('# ' + line)
    print(f'{"not ok" if against else "ok"} - tshark: {len(against)} packets to object to')
    return 1 if failed or others or against else 0


if __name__ == '__main__':
    sys.exit(main())
