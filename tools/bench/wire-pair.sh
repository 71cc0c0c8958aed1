#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Measures the wire between two guests, in the near one, at each of its drivers.

. "${KV_TREE:?}/tools/testing/qemu/guest-lib.sh"
. "$KV_TREE/tools/testing/qemu/wire.sh"
. "$KV_TREE/tools/bench/wire-rows.sh"
PAIR_PORT=$((18700 + $(wc -l <"$WIRE_RAW" 2>/dev/null || echo 0)))
WIRE_LOSSY=$WIRE_NETDEV

both_ends() {
	PAIR_PORT=$((PAIR_PORT + 1))
	far start "$PAIR_PORT" timeout 90 "$@" -d "$far_dev" -x "$far_gid" -p "$PAIR_PORT" \
		>"$PAIR_DIR/server" &&
		timeout -k 2 90 "$@" -d "$KV_DEV" -x "$WIRE_GID" -p "$PAIR_PORT" "$WIRE_FAR" \
		>"$PAIR_DIR/client" 2>&1
}

modprobe sch_netem
read -r far_dev far_gid _ < <(far run "$KV_TREE/tools/testing/qemu/wire-who.sh")
wire_rows "${KV_DEV%0}"
exit "$wire_failed"
