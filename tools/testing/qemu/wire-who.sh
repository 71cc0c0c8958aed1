#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Runs at the far end of a wire: its RDMA device, the indices of its IPv4 and IPv6 GIDs, its netdev,
# its driver.

. "${KV_TREE:?}/tools/testing/qemu/guest-lib.sh"
. "$KV_TREE/tools/testing/qemu/wire.sh"
echo "$KV_DEV $(kv_gid "$KV_DEV") $(wire_gid6 "$KV_DEV") $WIRE_NETDEV $KV_WIRE_FAR"
