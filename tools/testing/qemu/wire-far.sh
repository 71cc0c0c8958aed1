#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Runs in the far guest of a pair: for each driver of its list in turn, makes the link and does
# what the near one asks for, until that tells it to quit.

. "${KV_TREE:?}/tools/testing/qemu/guest-lib.sh"
. "$KV_TREE/tools/testing/qemu/wire.sh"

wire_up 2 || exit
for driver in ${KV_WIRE_DRIVERS//,/ }; do
	wire_link "$driver" || exit
	wire_lib "$driver"
	export KV_DEV WIRE_GID WIRE_NETDEV KV_WIRE_FAR=$driver
	"$KV_TREE/tools/testing/qemu/far.py" "$WIRE_FAR" || exit
	kv_use_lib stock
	wire_unlink "$driver" || exit
done
