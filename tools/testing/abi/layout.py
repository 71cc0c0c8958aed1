# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""What a C header says: layouts, enumerators, macros, prototypes. Each function
compiles a small program against a list of include folders; clang tells layouts,
gcc tells prototypes."""
import os
import re
import subprocess
import tempfile


def run(arguments, **more):
    return subprocess.run(arguments, capture_output=True, text=True, check=True, **more).stdout


def flags(folders):
    return ["-D_GNU_SOURCE", "-std=gnu11"] + [f"-I{f}" for f in folders]


class Header:
    """The headers named, found in these folders before the system's."""

    def __init__(self, headers, folders):
        self.folders = folders
        self.text = "".join(f"#include <{h}>\n" for h in headers)

    def compile(self, compiler, extra, text=""):
        with tempfile.NamedTemporaryFile("w", suffix=".c") as source:
            source.write(self.text + text)
            source.flush()
            return run(compiler + flags(self.folders) + extra + [source.name])

    def layouts(self):
        """{record: [(offset, field path), ..., ("sizeof", n), ("align", n)]}"""
        dump = self.compile(["clang", "-fsyntax-only"],
                            ["-Xclang", "-fdump-record-layouts-complete"])
        records = {}
        for block in dump.split("*** Dumping AST Record Layout")[1:]:
            name, rows = parse_record(block)
            records.setdefault(name, rows)
        return records

    def macros(self):
        text = self.compile(["gcc", "-E", "-dM"], [])
        return set(re.findall(r"^#define (\w+)\b(?!\()", text, re.M))

    def enumerators(self):
        text = self.compile(["gcc", "-E", "-P"], [])
        names = set()
        for body in re.findall(r"\benum\b[^{};()]*\{([^{}]*)\}", text):
            names |= set(re.findall(r"(?:^|,)\s*(\w+)", body))
        return names

    def values(self, names):
        """{name: value} of those names that are integer constants."""
        names = sorted(names)
        lines = "".join(f'\tSHOW({n});\n' for n in names)
        text = ("#include <stdio.h>\n#define SHOW(n) printf(\"%s %lld\\n\", #n, "
                "(long long)(n))\nint main(void)\n{\n" + lines + "\treturn 0;\n}\n")
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "values")
            self.compile(["gcc", "-w"], ["-o", program], text)
            rows = run([program]).split("\n")
        return {r.split()[0]: int(r.split()[1]) for r in rows if r}

    def prototypes(self):
        """{function: its declaration without names of arguments}"""
        with tempfile.NamedTemporaryFile(suffix=".aux") as aux:
            self.compile(["gcc", "-fsyntax-only", "-w"], ["-aux-info", aux.name])
            text = open(aux.name).read()
        found = {}
        for line in text.split("\n"):
            line = re.sub(r"/\*.*?\*/", "", line).strip()
            match = re.match(r"(static|extern) (.*?)\b(\w+) (\(.*\));$", line)
            if match:
                found[match.group(3)] = prototype(match)
        return found


def prototype(match):
    """Both headers may spell a type differently: fold the spellings."""
    arguments = match.group(4)
    if match.group(1) == "static":  # these keep the names of arguments
        arguments = re.sub(r"(\w+|\*)\s*\b\w+(?=[,)])", r"\1", arguments)
    text = match.group(2) + arguments
    text = re.sub(r"\b__u(8|16|32|64)\b", r"uint\1_t", text)
    text = re.sub(r"\b(inline|_Bool)\b", lambda m: "bool" if m.group(1) == "_Bool" else "", text)
    return re.sub(r"\s+", "", text)


ROW = re.compile(r"^\s*(\d+)(?::(\d+)-(\d+))? \|(\s+)(.*)$")


def parse_record(block):
    rows, path, name = [], [], None
    for line in block.split("\n"):
        size = re.search(r"\[sizeof=(\d+), align=(\d+)", line)
        if size:
            rows += [("sizeof", int(size.group(1))), ("align", int(size.group(2)))]
            break
        match = ROW.match(line)
        if not match:
            continue
        depth = len(match.group(4)) // 2
        words = re.sub(r"\s*\((unnamed|anonymous)[^)]*\)", "(unnamed)", match.group(5)).split()
        if name is None:
            name = " ".join(words)
            continue
        path[depth - 1:] = [re.sub(r".*\(unnamed\)$", "", words[-1])]
        bits = f":{match.group(2)}-{match.group(3)}" if match.group(2) else ""
        member = ".".join(p for p in path if p)
        if path[-1]:
            rows.append((match.group(1) + bits, member))
    return name, rows
