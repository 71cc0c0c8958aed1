#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""corpus.py unpack FILE FOLDER | pack FOLDER FILE: a fuzzer's corpus as one text file.

A line is an input in hexadecimal, or a name, a colon and such an input: those that
found a fault have a name. Lines that begin with # are comments."""
import hashlib
import os
import sys


def unpack(file, folder):
    os.makedirs(folder, exist_ok=True)
    for line in open(file, encoding="ascii"):
        if line.startswith("#") or not line.strip():
            continue
        name, _, digits = line.strip().rpartition(":")
        data = bytes.fromhex(digits)
        name = name or hashlib.sha1(data).hexdigest()
        with open(os.path.join(folder, name), "wb") as out:
            out.write(data)


def pack(folder, file):
    lines = []
    for name in sorted(os.listdir(folder)):
        digits = open(os.path.join(folder, name), "rb").read().hex()
        lines.append(f"{name}:{digits}" if name.startswith("found-") else digits)
    with open(file, "w", encoding="ascii") as out:
        out.write("# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause\n")
        out.write("\n".join(lines) + "\n")


{"pack": pack, "unpack": unpack}[sys.argv[1]](*sys.argv[2:4])
