#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Runs in a guest: our driver against stock rdma_rxe under Debian's libibverbs, on good and on bad
# days of the network; some of what they say is captured, for wire-icrc.py and tshark.

here=${KV_TREE:?}/tools/testing/qemu
export KV_WIRE_FAR=rxe
exec "$here/wire-local.sh" "$here/wire-programs.sh" captured basic sizes mtu ipv6 \
	$([ -n "${KV_WHOLE:-}" ] && echo faults || echo bad-day)
