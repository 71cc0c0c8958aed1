#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""
far.py ADDRESS: runs in the far guest of a pair, does what the near one asks for, until told to quit.

    run COMMAND...          runs it; its output, its exit status
    start PORT COMMAND...   starts it and waits until it listens on TCP PORT (0: does not wait)
    wait SECONDS            for what was started last: its output, its exit status
    quit                    ends the server

One request at a time, one connection each: a line of words there, quoted as a shell does; a line
with the exit status, and the output, back. far() of wire.sh asks.
"""
import os
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
import time

PORT = 7491
REQUEST_BYTES = 1 << 16
PATIENCE = 60           # seconds until something listens


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
        if port == '0':
            return 0, ''
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
                    words = shlex.split(stream.readline(REQUEST_BYTES))
                    stream.write('%d\n%s' % self.answer(words))
                if words[0] == 'quit':
                    self.kill()
                    return


if __name__ == '__main__':
    Server().serve(sys.argv[1])
