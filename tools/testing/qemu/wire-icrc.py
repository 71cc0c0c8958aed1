#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""
wire-icrc.py CAPTURE: runs on the host; judges captured RoCEv2 packets without any code of ours.

F08: the ICRC of each packet is recomputed with zlib's crc32 over the fields that IBTA annex
A17.3.3 names, pad bytes included; the pad count has to fit the length; and what tshark calls
malformed, or has an expert's opinion on, is a failure. Prints TAP.
"""
import collections
import struct
import subprocess
import sys
import zlib

ETHERNET = 14
UDP_PORT = 4791
# What the lists of programs must have caused.
NEEDED = {0x00: 'RC SEND first', 0x01: 'RC SEND middle', 0x02: 'RC SEND last', 0x04: 'RC SEND only',
          0x06: 'RC WRITE first', 0x07: 'RC WRITE middle', 0x08: 'RC WRITE last',
          0x0a: 'RC WRITE only', 0x0c: 'RC READ request', 0x0d: 'READ response first',
          0x0e: 'READ response middle', 0x0f: 'READ response last', 0x10: 'READ response only',
          0x11: 'acknowledge', 0x12: 'atomic acknowledge', 0x13: 'compare and swap',
          0x14: 'fetch and add', 0x20: 'UC SEND first', 0x21: 'UC SEND middle',
          0x22: 'UC SEND last', 0x24: 'UC SEND only', 0x26: 'UC WRITE first',
          0x27: 'UC WRITE middle', 0x28: 'UC WRITE last', 0x2a: 'UC WRITE only',
          0x64: 'UD SEND only'}
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
    """What the ICRC covers, and the ICRC as it stands in the packet."""
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


def judge(path):
    """Opcodes seen from each end, and what was wrong with them."""
    seen, wrong = collections.Counter(), collections.Counter()
    for ip in packets(path):
        covered, icrc, bth = icrc_bytes(ip)
        seen[bth[0]] += 1
        if struct.pack('<I', zlib.crc32(covered)) != icrc:
            wrong[bth[0], 'ICRC'] += 1
        if len(bth) % 4:
            wrong[bth[0], 'length'] += 1
    return seen, wrong


def opinions(path):
    """What tshark has to say against packets."""
    guesses = [word for guess in GUESSES for word in ('--disable-protocol', guess)]
    done = subprocess.run(['tshark', *guesses, '-o', 'infiniband.identify_payload:FALSE', '-r', path,
                           '-Y', 'infiniband && (_ws.malformed || _ws.expert.severity >= 6291456)',
                           '-T', 'fields', '-e', 'frame.number', '-e', 'frame.protocols',
                           '-e', 'infiniband.bth.opcode', '-e', '_ws.expert.message'],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode:
        return [done.stderr.decode(errors='replace')]
    return done.stdout.decode(errors='replace').splitlines()


def main():
    seen, wrong = judge(sys.argv[1])
    failed = 0
    for opcode, name in NEEDED.items():
        bad = [f'{n} times {what}' for (op, what), n in wrong.items() if op == opcode]
        good = seen[opcode] and not bad
        failed += not good
        print(f'{"ok" if good else "not ok"} - F08 icrc: {name}: {seen[opcode]} packets'
              f'{": wrong " if bad else ""}{", ".join(bad)}')
    others = sum(n for (op, _), n in wrong.items() if op not in NEEDED)
    print(f'{"not ok" if others else "ok"} - icrc: of other opcodes {others} are wrong')
    against = opinions(sys.argv[1])
    for line in against[:10]:
        print('# ' + line)
    print(f'{"not ok" if against else "ok"} - tshark: {len(against)} packets to object to')
    return 1 if failed or others or against else 0


if __name__ == '__main__':
    sys.exit(main())
