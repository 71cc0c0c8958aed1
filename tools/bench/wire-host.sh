#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# The measuring of the wire, inside the guest: wire-guest.sh ROUNDS. Appends to /results/raw.tsv:
# driver, what, size, value, unit.

. "${KV_TREE:?}/tools/testing/qemu/guest-lib.sh"
. "$KV_TREE/tools/testing/qemu/pair.sh"
RAW=/results/raw.tsv
KV_SHCA_PARAMETERS=force_wire=1
failed=0

# measure DRIVER PROGRAM SIZE ITERATIONS
measure() {
	local driver=$1 program=$2 size=$3 value unit=MB/s column=4
	[ "$program" = "${program%_lat}" ] || { unit=us column=5; }
	[ "$size" != 64 ] || { unit=Mmsg/s column=5; }
	if pair_run 60 "$program" -d "${driver}0" -x "$gid" -F -s "$size" -n "$4"; then
		value=$(pair_row "$column")
		printf '%s\t%s\t%s\t%s\t%s\n' "$driver" "$program" "$size" "$value" "$unit" | tee -a "$RAW"
	else
		echo "$driver $program $size B: failed"
		tail -n 3 "$PAIR_DIR/client"
		failed=1
	fi
}

turn() {
	local driver=$1 lib=stock module=$1
	[ "$driver" = rxe ] || lib=shim
	[ "$driver" = shca ] || module=rdma_rxe
	kv_load_driver "$driver" && kv_link "$driver" dummy0 || exit
	kv_use_lib "$lib"
	gid=$(kv_gid "${driver}0")
	measure "$driver" ib_write_bw 65536 400
	measure "$driver" ib_write_bw 1048576 40
	measure "$driver" ib_read_bw 65536 400
	measure "$driver" ib_write_bw 64 20000
	measure "$driver" ib_write_lat 8 2000
	kv_use_lib stock
	rdma link delete "${driver}0"
	rmmod "$module" || exit
}

kv_netdev dummy0 0 || exit
: >"$RAW"
for ((round = 0; round < $1; round++)); do
	turn rxe
	turn shca
done
exit "$failed"
