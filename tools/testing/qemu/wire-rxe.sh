#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Runs in a guest: our driver against stock rdma_rxe under Debian's libibverbs; what they said is
# captured, and judged by wire-icrc.py and by tshark.

here=${KV_TREE:?}/tools/testing/qemu
export KV_WIRE_FAR=rxe
exec "$here/wire-local.sh" "$here/wire-captured.sh" basic sizes mtu ipv6
