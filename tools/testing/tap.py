# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""TAP for the checks that are written in Python, and where things are.

Every check prints one line per rule; what breaks the rule follows as comments.
"""
import glob
import os
import re
import subprocess
import sys

TREE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("BUILD", os.path.join(TREE, "build"))
MAX_DETAILS = 40


def kernel_headers():
    """(folder of the kernel headers, their release), as the build scripts see them."""
    script = f'. "{TREE}/tools/build/lib.sh"; kernel_headers; echo "$KDIR"; echo "$KREL"'
    out = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
    return out.stdout.split()


def public_rdma_headers(kdir):
    """The kernel's own <rdma/*.h>. Debian's headers come in two parts: the Makefile of
    the flavour's part names the common one."""
    source = re.search(r"^include (\S+)/Makefile$", open(f"{kdir}/Makefile").read(), re.M)
    return glob.glob(f"{source.group(1) if source else kdir}/include/rdma/*.h")


class Tap:
    def __init__(self):
        self.count = 0
        self.failed = 0

    def result(self, what, problems):
        """One result line: ok when the list of problems is empty."""
        self.count += 1
        self.failed += bool(problems)
        print(f"{'not ok' if problems else 'ok'} {self.count} - {what}")
        for problem in problems[:MAX_DETAILS]:
            print(f"# {problem}")
        if len(problems) > MAX_DETAILS:
            print(f"# and {len(problems) - MAX_DETAILS} more")
        sys.stdout.flush()

    def finish(self):
        print(f"1..{self.count}")
        sys.exit(1 if self.failed else 0)
