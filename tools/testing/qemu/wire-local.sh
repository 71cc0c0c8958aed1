#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Runs in a guest: a wire between two network namespaces of it. The far end, with KV_WIRE_FAR's
# driver (rdma_rxe has its port in the first namespace only), stays where it is; the near end, with
# shca, moves into a namespace, where SCRIPT runs as it would in the near guest of a pair.
#
#   wire-local.sh SCRIPT ARGUMENTS...

. "${KV_TREE:?}/tools/testing/qemu/guest-lib.sh"
. "$KV_TREE/tools/testing/qemu/wire.sh"

far_end() {
	kv_load_driver "$KV_WIRE_FAR" && rdma link add far0 type "$KV_WIRE_FAR" netdev far &&
		kv_device_node far0 || return
	KV_DEV=far0 WIRE_NETDEV=far
	WIRE_GID=$(kv_gid far0)
	export KV_DEV WIRE_NETDEV WIRE_GID
	wire_lib "$KV_WIRE_FAR"
	"$KV_TREE/tools/testing/qemu/far.py" "$WIRE_FAR" &
	far_pid=$!
	kv_use_lib "$KV_LIB"
}

near_end() {
	[ -d /sys/module/shca ] || kv_load_driver shca || return
	ip netns exec near rdma link add near0 type shca netdev near && kv_device_node near0 || return
	KV_DEV=near0 WIRE_NETDEV=near
	WIRE_GID=$(ip netns exec near bash -c ". $KV_TREE/tools/testing/qemu/guest-lib.sh; kv_gid near0")
	export KV_DEV WIRE_NETDEV WIRE_GID
}

modprobe veth
ip netns add near &&
	ip link add far mtu 4200 type veth peer name near mtu 4200 netns near &&
	wire_addresses far 2 &&
	ip netns exec near bash -c ". $KV_TREE/tools/testing/qemu/wire.sh; ip link set lo up; wire_addresses near 1" &&
	far_end && near_end || { echo "Bail out! no wire between namespaces"; exit 1; }
ip netns exec near "$@"
status=$?
far quit
wait "$far_pid" || status=$?
rdma link delete near0 && rdma link delete far0 && ip netns delete near &&
	wire_unload "$KV_WIRE_FAR" && wire_unload shca || status=1
exit "$status"
