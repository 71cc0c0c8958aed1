#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Runs in a guest: the tests that Debian ships with python3-pyverbs, over $KV_DEV, as
# TAP. Tests of vendor features are left out. What the device does not offer the tests
# skip themselves.

. "${KV_TREE:?}/tools/testing/qemu/guest-lib.sh"
source=/usr/share/doc/rdma-core/tests
[ -d "$source" ] || { echo '1..0 # SKIP the tests of python3-pyverbs are not installed'; exit 0; }

# Fails on stock kernel 6.1, stock driver and stock library too: 6.1 has no atomic write.
EXPECTED='test_qp_ex_rc_atomic_write'

copy=$(mktemp -d)
cp -r "$source" "$copy/tests"
gunzip -q "$copy"/tests/*.gz
rm -f "$copy"/tests/test_{mlx5,efa,cuda}*
cd "$copy" || exit 1
gid=$(kv_gid "$KV_DEV") || exit 1
timeout "${KV_LIMIT:-$((300 * ${KV_SLOW:-1}))}" /usr/bin/python3 tests/run_tests.py -v --dev "$KV_DEV" --gid "$gid" \
	>"$copy/out" 2>&1
status=$?
cp "$copy/out" /results/pyverbs.txt
/usr/bin/python3 - "$copy/out" "$status" "$EXPECTED" <<'EOT'
"""unittest's verbose lines as TAP; a run that breaks off is a failure."""
import re
import sys

text, status, expected = open(sys.argv[1]).read(), int(sys.argv[2]), sys.argv[3].split()
count = 0
# Each test is announced as "name (module.Class)", then perhaps its first line of
# documentation, then "... verdict"; what the test prints may stand between.
head = re.compile(r"^(\w+) \((\w+\.[\w.]+)\)", re.M)
last = re.compile(r"\b(ok|skipped|FAIL|ERROR)\b([^\n]*)$", re.M)
starts = list(head.finditer(text.split("\n======")[0]))
for at, begin in enumerate(starts):
    end = starts[at + 1].start() if at + 1 < len(starts) else len(text)
    found = last.search(text[text.find("...", begin.end()):end])
    name, where = begin.group(1), begin.group(2)
    verdict, rest = found.groups() if found else ("no verdict", "")
    count += 1
    label = f"{where.split('.')[-2]}.{name}"
    if verdict == "ok":
        print(f"ok {count} - {label}")
    elif verdict == "skipped":
        print(f"ok {count} - {label} # SKIP {rest.strip()}")
    elif name in expected:
        print(f"ok {count} - {label} # SKIP fails on the stock stack too")
    else:
        print(f"not ok {count} - {label}: {verdict}")
ran = re.search(r"^Ran (\d+) tests?", text, re.M)
if not ran or status == 124:
    print("Bail out! the tests broke off:")
    for line in text.splitlines()[-12:]:
        print("#", line)
    sys.exit(1)
print(f"1..{ran.group(1)}")
for block in re.findall(r"^=+\n((?:FAIL|ERROR): .*?)(?=^=+\n|^-+\nRan)", text, re.M | re.S):
    if not any(word in block.split("\n")[0] for word in expected):
        print("\n".join("# " + line for line in block.strip().splitlines()[-4:]))
EOT
