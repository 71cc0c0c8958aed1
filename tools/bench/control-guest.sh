#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Runs in a guest that came up with nothing loaded: the control path of the stock core and of
# ours under the same rdma_rxe.ko, in turns, ROUNDS times each. Rows go to /results/control.tsv:
# core, figure, value, unit.

. "${KV_TREE:?}/tools/testing/qemu/guest-lib.sh"
kv_use_lib stock
: >/results/control.tsv
kv_netdev life0 0 || exit 1
for round in $(seq "${ROUNDS:-5}"); do
	for KV_CORE in stock ours; do
		kv_load_core && kv_load_driver rxe && kv_link rxe life0 || exit 1
		KV_DEV=rxe0 "$KV_BUILD/bench/control" >/tmp/rows || exit 1
		sed "s/^/$KV_CORE\t/" /tmp/rows >>/results/control.tsv
		rdma link delete rxe0 && rmmod rdma_rxe && rmmod ib_uverbs && rmmod ib_core || exit 1
	done
done
