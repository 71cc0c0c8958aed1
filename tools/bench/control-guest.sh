#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Runs in a guest that came up with nothing loaded: the control path of each of CORES ("stock
# ours"), one after another, under each of DRIVERS ("rxe shca"), the same file on both cores. Rows
# go to /results/control.tsv: driver, figure, core, value, unit.

. "${KV_TREE:?}/tools/testing/qemu/guest-lib.sh"
: >/results/control.tsv
ip link show life0 >/dev/null 2>&1 || kv_netdev life0 0 || exit 1

# measure CORE DRIVER
measure() {
	local KV_CORE=$1 driver=$2 lib=stock module=rdma_rxe
	[ "$driver" = rxe ] || lib=shim module=shca
	kv_use_lib "$lib"
	kv_load_core && kv_load_driver "$driver" && kv_link "$driver" life0 || return
	KV_DEV=${driver}0 "$KV_BUILD/bench/control" >/tmp/rows || { cat /tmp/rows; return 1; }
	awk -v core="$KV_CORE" -v driver="$driver" 'BEGIN { FS = OFS = "\t" }
		{ print driver, $1, core, $2, $3 }' /tmp/rows >>/results/control.tsv
	rdma link delete "${driver}0" && rmmod "$module" && rmmod ib_uverbs && rmmod ib_core
}

for driver in ${DRIVERS:-rxe shca}; do
	for core in ${CORES:-stock ours}; do
		measure "$core" "$driver" || exit
	done
done
