#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Runs in a guest: the tests that Debian ships with python3-pyverbs, over $KV_DEV, as
# TAP. Tests of vendor features are left out. What the device does not offer the tests
# skip themselves. Where the guest came up without a device (--driver none), KV_PYVERBS
# names the driver to link to the virtio network card: tests that look for the netdev's
# device in sysfs skip on a dummy one. The suite's own words stay in /results/pyverbs.txt.

. "${KV_TREE:?}/tools/testing/qemu/guest-lib.sh"
source=/usr/share/doc/rdma-core/tests
[ -d "$source" ] || { echo '1..0 # SKIP the tests of python3-pyverbs are not installed'; exit 0; }

# Fails on stock kernel 6.1, stock driver and stock library too: 6.1 has no atomic write.
EXPECTED='test_qp_ex_rc_atomic_write'

# virtio_link DRIVER: DRIVER0 on the network card that --net gave.
virtio_link() {
	modprobe virtio_net || return
	local path
	for path in /sys/bus/virtio/drivers/virtio_net/virtio*/net/*; do
		kv_load_driver "$1" && ip addr add 10.78.0.1/24 dev "${path##*/}" &&
			ip -6 addr add fd78::1/64 dev "${path##*/}" nodad &&
			ip link set "${path##*/}" up && kv_link "$1" "${path##*/}" || return
		export KV_DEV=${1}0
		return
	done
}

[ -n "${KV_DEV:-}" ] || virtio_link "${KV_PYVERBS:?}" || { echo 'Bail out! no device'; exit 1; }
# Some tests take huge pages where there are any.
echo 16 >/proc/sys/vm/nr_hugepages
copy=$(mktemp -d)
cp -r "$source" "$copy/tests"
gunzip -q "$copy"/tests/*.gz
rm -f "$copy"/tests/test_{mlx5,efa,cuda}*
cd "$copy" || exit 1
gid=$(kv_gid "$KV_DEV") || exit 1
timeout "${KV_LIMIT:-$((300 * ${KV_SLOW:-1}))}" /usr/bin/python3 tests/run_tests.py -v \
	--dev "$KV_DEV" --gid "$gid" >"$copy/out" 2>&1
status=$?
cp "$copy/out" /results/pyverbs.txt
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$KV_TREE/tools/testing/pyverbs \
	/usr/bin/python3 - "$copy/out" "$status" "$EXPECTED" <<'EOT'
import sys

import results

text, status, expected = open(sys.argv[1]).read(), int(sys.argv[2]), sys.argv[3].split()
why = results.details(text)
for count, (label, verdict, rest) in enumerate(results.parse(text), 1):
    name = label.split(".")[-1]
    if verdict == "ok":
        print(f"ok {count} - {label}")
    elif verdict == "skipped":
        print(f"ok {count} - {label} # SKIP {rest}")
    elif name in expected:
        print(f"ok {count} - {label} # SKIP fails on the stock stack too")
    else:
        print(f"not ok {count} - {label}: {verdict}")
        print("\n".join("# " + line for line in why.get(name, [])))
if results.ran(text) is None or status == 124:
    print("Bail out! the tests broke off:")
    print("\n".join("# " + line for line in text.splitlines()[-12:]))
    sys.exit(1)
print(f"1..{results.ran(text)}")
EOT
