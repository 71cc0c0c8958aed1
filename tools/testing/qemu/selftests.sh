#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Runs in a guest: every selftest that was built, each bounded in time, over
# the device $KV_DEV. Tests named "shca_" speak to our driver only, and "api_" and "c_"
# ones hold it to promises that others do not keep; "core_" and "uverbs_" ones run everywhere.
# rdma_rxe fails three field cases on the stock core as it does on ours: they are for our driver.
# The kernel log must stay clean: a splat is blamed on the test that caused it.

. "${KV_TREE:?}/tools/testing/tap.sh"
SPLAT='WARNING: |BUG: |Oops|general protection fault|refcount_t|INFO: task .* blocked'

applies() {
	case $1 in
	shca_* | api_* | c_* | f11_* | f35_* | f51_*) [ "$KV_DRIVER" = shca ] || [ "$KV_DRIVER" = both ] ;;
	fault_load) return 1 ;; # for a guest where nothing is loaded: fault-load.sh
	rxe_*) [ "$KV_DRIVER" = rxe ] || [ "$KV_DRIVER" = both ] ;;
	esac
}

# Programs are slow to start here, so the log is read once, at the end: each test leaves its mark there.
mark() {
	echo "selftests: $1" >/dev/kmsg
}

blame() {
	dmesg | awk -v splat="$SPLAT" '
		/\] selftests: / { name = $NF; next }
		$0 ~ splat && name && ++seen[name] <= 3 {
			if (seen[name] == 1)
				print "not ok - " name ": the kernel log shows a splat after it"
			print "# " $0
		}'
}

echo on >/proc/sys/kernel/printk_devkmsg
ran=0
for program in "$KV_BUILD"/selftests/*; do
	name=${program##*/}
	[ -x "$program" ] && [ -f "$program" ] && applies "$name" || continue
	[ -z "${KV_ONLY:-}" ] || [[ $name =~ $KV_ONLY ]] || continue
	[ -z "${KV_SKIP:-}" ] || [[ ! $name =~ $KV_SKIP ]] || continue
	ran=$((ran + 1))
	mark "$name"
	tap_run "$name" "${KV_LIMIT:-$((60 * ${KV_SLOW:-1}))}" "$program"
done
blame
[ "$ran" != 0 ] || echo "not ok - selftests: none was built"
