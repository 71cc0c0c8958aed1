#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""
far.py: lets one guest of a pair have commands run in the other.

    far.py serve ADDRESS            in the far guest: until it is told to quit
    far.py ADDRESS run COMMAND...   runs it there; its output, its exit status
    far.py ADDRESS start PORT COMMAND...
                                    starts it there and waits until it listens on TCP PORT
    far.py ADDRESS wait SECONDS     for what was started last: its output, its exit status
    far.py ADDRESS quit             ends the server

One request at a time, one connection each: a line of JSON there, a line of JSON back.
"""
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time

PORT = 7491
REQUEST_BYTES = 1 << 16
PATIENCE = 60           # seconds: until the other guest serves, or something listens


def listens(port):
    """Somebody of this guest listens on TCP @port."""
    for table in '/proc/net/tcp', '/proc/net/tcp6':
        try:
            with open(table, encoding='ascii') as lines:
                for line in list(lines)[1:]:
                    words = line.split()
                    if words[3] == '0A' and int(words[1].split(':')[-1], 16) == port:
                        return True
        except OSError:
            pass
    return False


class Server:
    """What runs in the far guest."""

    def __init__(self):
        self.child = None
        self.output = None

    def kill(self):
        """Ends what was started and is still there."""
        if self.child and self.child.poll() is None:
            os.killpg(self.child.pid, signal.SIGKILL)
            self.child.wait()

    def start(self, port, command):
        self.kill()
        self.output = tempfile.TemporaryFile()
        self.child = subprocess.Popen(command, stdout=self.output, stderr=subprocess.STDOUT,
                                      start_new_session=True)
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and self.child.poll() is None:
            if listens(int(port)):
                return 0, ''
            time.sleep(0.05)
        return self.wait(0) if self.child.poll() is not None else (1, 'it never listened')

    def wait(self, seconds):
        """Exit status and output of what was started."""
        if not self.child:
            return 1, 'nothing was started'
        try:
            status = self.child.wait(float(seconds))
        except subprocess.TimeoutExpired:
            self.kill()
            status = 124
        self.output.seek(0)
        return status, self.output.read().decode(errors='replace')

    @staticmethod
    def run(command):
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        return done.returncode, done.stdout.decode(errors='replace')

    def answer(self, words):
        verb, rest = words[0], words[1:]
        if verb == 'run':
            return self.run(rest)
        if verb == 'start':
            return self.start(rest[0], rest[1:])
        if verb == 'wait':
            return self.wait(rest[0])
        return (0, '') if verb == 'quit' else (1, 'unknown request')

    def serve(self, address):
        with socket.create_server((address, PORT)) as listener:
            while True:
                peer, _ = listener.accept()
                with peer, peer.makefile('rw') as stream:
                    words = json.loads(stream.readline(REQUEST_BYTES))
                    stream.write(json.dumps(self.answer(words)) + '\n')
                    stream.flush()
                if words[0] == 'quit':
                    self.kill()
                    return


def connect(address):
    """The other guest may still be booting."""
    end = time.monotonic() + PATIENCE
    while True:
        try:
            return socket.create_connection((address, PORT), timeout=5)
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.2)


def ask(address, words):
    with connect(address) as peer, peer.makefile('rw') as stream:
        peer.settimeout(None)
        stream.write(json.dumps(words) + '\n')
        stream.flush()
        status, output = json.loads(stream.readline())
    sys.stdout.write(output)
    return status


if __name__ == '__main__':
    if sys.argv[1] == 'serve':
        Server().serve(sys.argv[2])
        sys.exit(0)
    sys.exit(ask(sys.argv[1], sys.argv[2:]))
