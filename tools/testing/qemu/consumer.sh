#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Runs in a guest: the kernel consumer, a module that uses verbs as storage protocols
# do. It prints its TAP to the kernel log; loading it fails when one test failed. Then it is
# loaded to stay: it keeps the device busy, and the device is removed under it.

. "${KV_TREE:?}/tools/testing/qemu/guest-lib.sh"
. "$KV_TREE/tools/testing/tap.sh"
module=$KV_OURS/core_consumer.ko
[ -f "$module" ] || { echo "not ok - consumer: $module was not built"; exit 1; }
status=0

test_verbs() {
	local lines pd_busy=1
	lines=$(dmesg | wc -l)
	[ "$KV_CORE" != stock ] || pd_busy=0
	insmod "$module" "device=$KV_DEV" "pd_busy=$pd_busy" || status=1
	dmesg | tail -n "+$((lines + 1))" |
		sed -n 's/.*core_consumer: \(ok\|not ok\) [0-9]*/\1/p'
	[ "$status" != 0 ] || rmmod core_consumer || status=1
}

# Rounds that the module says it made when it left its device, 0 when it did not.
rounds() {
	dmesg | sed -n "s/.*core_consumer: left $KV_DEV after \([0-9]*\) rounds/\1/p" | tail -n 1
}

test_removal() {
	local netdev=dummy0
	[ "$KV_DRIVER" = rxe ] || [ "$KV_DRIVER" = shca ] || return 0
	insmod "$module" stay=1
	tap_result $? "a client that keeps the device busy"
	sleep 1
	timeout 60 rdma link delete "$KV_DEV"
	tap_result $? "the link goes under it"
	[ "$(rounds)" -gt 0 ] 2>/dev/null
	tap_result $? "it had worked until then"
	kv_link "$KV_DRIVER" "$netdev"
	tap_result $? "a new link"
	sleep 0.5
	timeout 60 rmmod core_consumer
	tap_result $? "the client goes under a link"
	[ "$(rounds)" -gt 0 ] 2>/dev/null
	tap_result $? "it had worked on the new one, too"
}

test_verbs
test_removal
exit "$status"
