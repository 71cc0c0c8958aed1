#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Runs in a guest: every selftest that was built, each bounded in time, over
# the device $KV_DEV. Tests named "shca_" speak to our driver only, and "api_" and "c_"
# ones hold it to promises that others do not keep; "core_" and "uverbs_" ones run everywhere.
# rdma_rxe fails three field cases on the stock core as it does on ours: they are for our driver.
# After each, the kernel log must be clean, so that a splat is blamed on the test that
# caused it.

. "${KV_TREE:?}/tools/testing/tap.sh"
SPLAT='WARNING: |BUG: |Oops|general protection fault|refcount_t|INFO: task .* blocked'

applies() {
	case $1 in
	shca_* | api_* | c_* | f11_* | f35_* | f51_*) [ "$KV_DRIVER" = shca ] || [ "$KV_DRIVER" = both ] ;;
	fault_load) return 1 ;; # for a guest where nothing is loaded: fault-load.sh
	rxe_*) [ "$KV_DRIVER" = rxe ] || [ "$KV_DRIVER" = both ] ;;
	esac
}

blame() {
	local before=$1 name=$2
	dmesg | tail -n "+$((before + 1))" | grep -qE "$SPLAT" || return 0
	echo "not ok - $name: the kernel log shows a splat after it"
	dmesg | tail -n "+$((before + 1))" | grep -E "$SPLAT" | head -n 3 | sed 's/^/# /'
}

ran=0
for program in "$KV_BUILD"/selftests/*; do
	name=${program##*/}
	[ -x "$program" ] && [ -f "$program" ] && applies "$name" || continue
	[ -z "${KV_ONLY:-}" ] || [[ $name =~ $KV_ONLY ]] || continue
	ran=$((ran + 1))
	lines=$(dmesg | wc -l)
	tap_run "$name" "${KV_LIMIT:-$((60 * ${KV_SLOW:-1}))}" "$program"
	blame "$lines" "$name"
done
[ "$ran" != 0 ] || echo "not ok - selftests: none was built"
