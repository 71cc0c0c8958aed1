# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""The table Documentation/field-cases.md against the tests: each case has one, and each test
in the table names the case itself."""
import re

TABLE = "Documentation/field-cases.md"
TESTS = "tools/testing/"
CASES = [f"F{n:02}" for n in (1, 2, 4, 8, 11, 13, 14, 15, 16, 22, 23, 24, 25, 29, 31, 35, 36, 39,
                              40, 41, 42, 43, 44, 45, 46, 47, 49, 51, 55, 63)]
# Names of tests are as good as words in them: f51_link_down.c.
NAME = re.compile(r"(?<![A-Za-z0-9])F(\d\d)[a-f]?(?![0-9A-Za-z])")


def rows(text):
    """{case: [tests]} of the table."""
    table = {}
    for line in text.split("\n"):
        match = re.match(r"\| (F\d\d) \|[^|]*\|([^|]*)\|$", line)
        if match:
            table[match.group(1)] = re.findall(r"`([^`]+)`", match.group(2))
    return table


def named(name, text):
    """The cases that a test file names."""
    own = re.search(r"/f(\d\d)_", name)
    found = {f"F{m}" for m in NAME.findall(text)} & set(CASES)
    return found | ({f"F{own.group(1)}"} if own else set())


def check(tap, names, read):
    table = rows(read(TABLE))
    tests = {n[len(TESTS):]: named(n, read(n)) for n in names
             if n.startswith(TESTS) and re.search(r"\.(c|sh|py)$", n) and "/tidy/" not in n}
    missing = [f"{case}: no row" for case in CASES if case not in table]
    missing += [f"{case}: no test" for case in CASES if case in table and not table[case]]
    tap.result(f"each of {len(CASES)} field cases has a test", missing)
    wrong = [f"{case}: {test} {'does not name it' if test in tests else 'is no test'}"
             for case, listed in table.items() for test in listed
             if case not in tests.get(test, ())]
    tap.result("the table of field cases and the tests agree", wrong)
