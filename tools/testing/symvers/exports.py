#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""The table of Documentation/exports.md: each symbol that the stock ib_core and ib_uverbs
export, whether ours do, who uses it in the tests, or which stock modules wait for it.

    exports.py            prints the page
    exports.py --write    writes it

check compares the page with what is true, so that it cannot go stale.
"""
import glob
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.dont_write_bytecode = True
from tap import BUILD, TREE, kernel_headers  # noqa: E402

PAGE = f"{TREE}/Documentation/exports.md"
MODULES = ("ib_core", "ib_uverbs")
# Who uses a symbol while a tier of make check runs: module, and the tiers.
USERS = (("ib_uverbs", "A, B, C"), ("rdma_rxe", "B"), ("shca", "C"), ("core_consumer", "B, C"))
MOST_NAMED = 6
HEAD = """<!-- SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause -->
# Exports

What the stock ib_core and ib_uverbs export, and how far ours do. A symbol is *done* when ours
export it with the stock checksum; the third column says which module calls it while a tier of
`make check` runs (A: stock core and shca; B: our core and Debian's rdma_rxe.ko; C: all ours;
core_consumer is the kernel consumer of drivers/infiniband/ulp/consumer). "X_kunit" is the suite of
`make check-debug` that calls it, where no module does. "the module itself" are those that other
rooms of the same module call. "linked only" means that nothing in the tree calls it yet. A symbol
that is *not yet* there names the stock modules that need it.
`tools/testing/symvers/exports.py --write` makes this page, the tier symvers compares it.
"""


def imports(path):
    out = subprocess.run(["nm", "-u", path], capture_output=True, text=True, check=True)
    fields = [line.split() for line in out.stdout.splitlines()]
    # A weak reference is a question whether the symbol is there.
    return {f[-1] for f in fields if f[-2] == "U"}


def exports(path):
    """{symbol: module} of a Module.symvers, the RDMA core's part of it."""
    found = {}
    for line in open(path):
        _, name, module = line.split("\t")[:3]
        if os.path.basename(module) in MODULES:
            found[name] = os.path.basename(module)
    return found


def users(krel, stock_drivers):
    """{module: what it imports} of those that the tests load."""
    paths = {name: f"{BUILD}/{krel}/{name}.ko" for name, _ in USERS if name != "rdma_rxe"}
    paths["rdma_rxe"] = f"{stock_drivers}/sw/rxe/rdma_rxe.ko"
    return {**{name: imports(path) for name, path in paths.items()}, "within": within(krel),
            "suites": suites()}


def waiting(modules_root):
    """{stock module: what it imports} of all that Debian ships and that speak to ib_core."""
    found = {}
    for folder in ("drivers/infiniband", "drivers/nvme", "net", "fs"):
        for path in glob.glob(f"{modules_root}/kernel/{folder}/**/*.ko", recursive=True):
            name = os.path.basename(path)[:-3]
            with open(path, "rb") as module:
                if name not in MODULES and b"ib_" in module.read():
                    found[name] = imports(path)
    return found


def within(krel):
    """Names that one source file of a module has from another."""
    farm = f"{BUILD}/{krel}/obj/drivers/infiniband/core"
    names = set()
    for folder in (farm, f"{farm}/uverbs"):
        for path in glob.glob(f"{folder}/*.o"):
            if not re.search(r"(_kunit|\.mod|/ib_core|/ib_uverbs)\.o$", path):
                names |= imports(path)
    return names


def suites():
    """{KUnit suite: what it calls}"""
    paths = glob.glob(f"{TREE}/drivers/infiniband/core/**/*_kunit.c", recursive=True)
    return {os.path.basename(path)[:-2]: set(re.findall(r"\b(\w+)\(", open(path).read()))
            for path in paths}


def row(name, ours, used, stock_modules):
    if name in ours:
        by = [f"{module} ({tiers})" for module, tiers in USERS if name in used[module]]
        by = by or sorted(suite for suite, calls in used["suites"].items() if name in calls)
        by += ["the module itself"] if not by and name in used["within"] else []
        return f"| {name} | done | {', '.join(by) or 'linked only'} |"
    needs = sorted(m for m, wanted in stock_modules.items() if name in wanted)
    more = f" and {len(needs) - MOST_NAMED} more" if len(needs) > MOST_NAMED else ""
    return f"| {name} | not yet | {', '.join(needs[:MOST_NAMED]) or 'nobody in Debian'}{more} |"


def page(stock_image):
    kdir, krel = kernel_headers()
    stock = exports(f"{kdir}/Module.symvers")
    ours = exports(f"{BUILD}/{krel}/obj/Module.symvers")
    root = f"{stock_image}/lib/modules/{krel}"
    used = users(krel, f"{root}/kernel/drivers/infiniband")
    stock_modules = waiting(root)
    text = HEAD
    for module in MODULES:
        names = sorted(n for n, m in stock.items() if m == module)
        done = sum(n in ours for n in names)
        text += f"\n## {module}: {done} of {len(names)}\n\n"
        text += "| symbol | state | used by |\n|---|---|---|\n"
        text += "".join(row(n, ours, used, stock_modules) + "\n" for n in names)
    return text


def stock_image():
    """Folder of the unpacked stock kernel, fetched when a guest has not done so yet."""
    script = (f'. "{TREE}/tools/build/lib.sh"; . "{TREE}/tools/testing/qemu/image.sh"; '
              'kernel_headers; image_fetch >&2; echo "$IMAGE"')
    out = subprocess.run(["bash", "-c", script], stdout=subprocess.PIPE, text=True, check=True)
    return out.stdout.strip()


def main():
    text = page(stock_image())
    if sys.argv[1:] == ["--write"]:
        open(PAGE, "w").write(text)
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
