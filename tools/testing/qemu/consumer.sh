#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Runs in a guest: the kernel consumer, a module that uses verbs as storage protocols
# do. It prints its TAP to the kernel log; loading it fails when one test failed.

. "${KV_TREE:?}/tools/testing/qemu/guest-lib.sh"
module=$KV_OURS/core_consumer.ko
[ -f "$module" ] || { echo "not ok - consumer: $module was not built"; exit 1; }
lines=$(dmesg | wc -l)
status=0
[ "$KV_CORE" = stock ] && pd_busy=0 || pd_busy=1
insmod "$module" "device=$KV_DEV" "pd_busy=$pd_busy" || status=1
dmesg | tail -n "+$((lines + 1))" | sed -n 's/.*core_consumer: \(ok\|not ok\|1\.\.\)/\1/p'
[ "$status" != 0 ] || rmmod core_consumer || status=1
exit "$status"
