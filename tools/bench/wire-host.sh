#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Measures the wire inside one guest, both ends on one host: wire-host.sh ROUNDS. Nothing is lost
# there, since rdma_rxe keeps what a host sends to itself from any netdev.

. "${KV_TREE:?}/tools/testing/qemu/guest-lib.sh"
. "$KV_TREE/tools/testing/qemu/pair.sh"
. "$KV_TREE/tools/testing/qemu/wire.sh"
. "$KV_TREE/tools/bench/wire-rows.sh"
export KV_SHCA_PARAMETERS=force_wire=1
WIRE_NETDEV=dummy0

both_ends() {
	pair_run 90 "$@" -d "$KV_DEV" -x "$WIRE_GID"
}

kv_netdev dummy0 0 || exit
modprobe sch_netem
: >"$WIRE_RAW"
for ((round = 0; round < $1; round++)); do
	for driver in rxe shca; do
		wire_link "$driver" || exit
		wire_lib "$driver"
		wire_rows "$driver"
		kv_use_lib stock
		wire_unlink "$driver" || exit
	done
done
exit "$wire_failed"
