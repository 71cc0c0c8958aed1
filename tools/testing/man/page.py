# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""What is in a manual page: its names, sections, prototypes, references, example."""
import os
import re

ESCAPES = [(r"\-", "-"), (r"\(aq", "'"), (r"\(ha", "^"), (r"\(ti", "~"), (r"\(dq", '"'),
           (r"\&", ""), (r"\e", "\\")]


def plain(text):
    """The text without fonts and escapes."""
    text = re.sub(r"\\f[A-Z]", "", text)
    for escape, char in ESCAPES:
        text = text.replace(escape, char)
    return text


class Page:
    def __init__(self, path):
        self.file = os.path.basename(path)
        self.name, self.section = self.file.rsplit(".", 1)
        text = open(path, encoding="utf-8").read()
        link = re.search(r"^\.so (\S+)$", text, re.M)
        self.link = os.path.basename(link.group(1)) if link else None
        self.sections = {}
        for part in re.split(r"^\.SH ", text, flags=re.M)[1:]:
            title, _, body = part.partition("\n")
            self.sections[title.strip('" ')] = body

    def names(self):
        """What stands in NAME before the dash."""
        head = self.sections.get("NAME", "").split(r"\-")[0]
        return [n.strip() for n in head.replace("\n", " ").split(",") if n.strip()]

    def synopsis(self):
        """(includes, prototypes) of a page on functions."""
        lines = [l for l in plain(self.sections.get("SYNOPSIS", "")).split("\n")
                 if not re.match(r"\.(nf|fi|PP)", l)]
        includes = [l[3:] for l in lines if l.startswith(".B #include")]
        code = " ".join(l for l in lines if not l.startswith(".B #include"))
        return includes, [re.sub(r"\s+", " ", p).strip() for p in code.split(";") if p.strip()]

    def references(self):
        """(name, section) of all that the page refers to."""
        found = set()
        for body in self.sections.values():
            body = re.sub(r"^\.EX$.*?^\.EE$", "", body, flags=re.M | re.S)
            found |= set(re.findall(r"^\.BR (\S+) \((\d)\)", body, re.M))
            found |= set(re.findall(r"\\fB(\w+)\\fR\((\d)\)", body))
            found |= set(re.findall(r"([\w\\-]+)\((\d)\)", body))
        return {(plain(n).lstrip("-"), s) for n, s in found if re.match(r"[a-z]", plain(n))}

    def example(self):
        """The C source in EXAMPLES, or None."""
        for block in re.findall(r"^\.EX\n(.*?)^\.EE$", self.sections.get("EXAMPLES", ""),
                                re.M | re.S):
            if "#include" in block:
                return plain(block)
        return None
