# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""Reads what the test-suite of python3-pyverbs prints (unittest's verbose form).

Each test is announced as "name (module.Class)", then perhaps its first line of
documentation, then "... verdict"; what the test prints may stand between. Used by
qemu/pyverbs.sh inside a guest and by compare on the host.
"""
import re

VERDICTS = ("ok", "skipped", "FAIL", "ERROR")
HEAD = re.compile(r"^(\w+) \((\w+\.[\w.]+)\)", re.M)
LAST = re.compile(rf"\b({'|'.join(VERDICTS)})\b([^\n]*)$", re.M)


def parse(text):
    """[(label, verdict, rest of the line)]; the verdict is "none" where a test never ended."""
    starts = list(HEAD.finditer(text.split("\n======")[0]))
    found = []
    for at, begin in enumerate(starts):
        end = starts[at + 1].start() if at + 1 < len(starts) else len(text)
        last = LAST.search(text[text.find("...", begin.end()):end])
        verdict, rest = last.groups() if last else ("none", "")
        label = f"{begin.group(2).split('.')[-2]}.{begin.group(1)}"
        found.append((label, verdict, rest.strip()))
    return found


def ran(text):
    """How many tests unittest says it ran; None when it never came to its end."""
    line = re.search(r"^Ran (\d+) tests?", text, re.M)
    return int(line.group(1)) if line else None


def details(text):
    """{name: last lines of its traceback} of the tests that failed."""
    blocks = re.findall(r"^=+\n(?:FAIL|ERROR): (\w+)(.*?)(?=^=+\n|^-+\nRan)", text, re.M | re.S)
    return {name: body.strip().splitlines()[-4:] for name, body in blocks}
