#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Runs in a guest with a debug kernel: loads the KUnit modules that were built ($KV_BUILD holds
# X_kunit.ko), which runs their suites, and prints as TAP what they wrote into the kernel log.

. "${KV_TREE:?}/tools/testing/qemu/guest-lib.sh"

# Of nested results the innermost count: a case, or each of its parameters.
flatten() {
	sed 's/^\[[^]]*\] //' | awk '
	/^    # Subtest: / { suite = $3 }
	/^        # Subtest: / { one = $3 == "tap_run_one" ? "" : $3 ": " }
	match($0, /^ +(not )?ok [0-9]+ /) {
		verdict = $1 == "not" ? "not ok" : "ok"
		indent = match($0, /[^ ]/)
		name = $0
		sub(/^ +(not )?ok [0-9]+ (- )?/, "", name)
		# A case whose parameters were listed before.
		if (indent == 5 && deeper) {
			deeper = 0
			next
		}
		deeper = indent > 5
		print verdict " - " suite ": " (deeper ? one : "") name
	}'
}

run_module() {
	local module=$1 lines name=${1##*/}
	name=${name%.ko}
	lines=$(dmesg | wc -l)
	kv_insmod "$module" || { echo "not ok - $name: cannot be loaded"; return; }
	dmesg | tail -n "+$((lines + 1))" >"/results/$name.log"
	flatten <"/results/$name.log" >"/results/$name.tap"
	cat "/results/$name.tap"
	grep -q '^ok' "/results/$name.tap" || echo "not ok - $name: no result"
	! grep -q '^not ok' "/results/$name.tap" || grep -E '# [a-z_]+:[0-9]|EXPECT|ASSERT|from' -A3 "/results/$name.log" | head -n 60
	rmmod "$name" || echo "not ok - $name: cannot be unloaded"
}

for module in "$KV_OURS"/*_kunit.ko; do
	run_module "$module"
done
