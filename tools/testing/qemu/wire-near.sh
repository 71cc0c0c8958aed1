#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Runs in the near guest of a pair: for each driver of its list in turn, makes the link and runs
# SCRIPT there; the far end goes on to the next of its own list whenever it is told to quit.
#
#   wire-near.sh SCRIPT ARGUMENTS...

. "${KV_TREE:?}/tools/testing/qemu/guest-lib.sh"
. "$KV_TREE/tools/testing/qemu/wire.sh"

status=0
wire_up 1 || { echo "Bail out! no netdev on the wire"; exit 1; }
for turn in ${KV_WIRE_DRIVERS//,/ }; do
	driver=${turn#*:}
	[ "$turn" = "$driver" ] || wire_core "${turn%:*}" || {
		echo "Bail out! no core ${turn%:*}"
		exit 1
	}
	wire_link "$driver" || { echo "Bail out! no link of type $driver"; exit 1; }
	wire_lib "$driver"
	export KV_DEV WIRE_GID WIRE_NETDEV
	"$@" || status=$?
	kv_use_lib stock
	wire_unlink "$driver" || status=1
	far quit
done
exit "$status"
