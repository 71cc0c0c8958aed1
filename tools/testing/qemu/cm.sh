#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Runs in a guest with the stock core: Debian's own connection manager over $KV_DEV, and programs
# of librdmacm on it.

. "${KV_TREE:?}/tools/testing/qemu/cm-lib.sh"

# both NAME SERVER -- CLIENT: the server must be there, then both must end well.
both() {
	local name=$1 server=() pid status=0
	shift
	while [ "$1" != -- ]; do server+=("$1"); shift; done
	shift
	timeout "$LIMIT" "${server[@]}" >/tmp/server 2>&1 &
	pid=$!
	sleep $((3 * ${KV_SLOW:-1}))
	timeout "$LIMIT" "$@" >/tmp/client 2>&1 || status=$?
	wait "$pid" || status=$((status + 1000 * $?))
	cat /tmp/server >>/tmp/client
	result "$status" "$name" /tmp/client
}

programs() {
	local on=$1
	both "rping, $on" rping -s -a "$ADDRESS" -C 20 -V -S 4096 -- \
		rping -c -a "$ADDRESS" -C 20 -V -S 4096
	both "ucmatose, $on" ucmatose -c 4 -C 8 -- ucmatose -s "$ADDRESS" -c 4 -C 8
	both "udaddy, $on" udaddy -c 2 -C 8 -- udaddy -s "$ADDRESS" -c 2 -C 8
	both "ib_write_bw -R, $on" ib_write_bw -R -d "$KV_DEV" -s 65536 -n 50 -- \
		ib_write_bw -R -d "$KV_DEV" -s 65536 -n 50 "$ADDRESS"
	both "ib_send_lat -R, $on" ib_send_lat -R -d "$KV_DEV" -s 64 -n 50 -- \
		ib_send_lat -R -d "$KV_DEV" -s 64 -n 50 "$ADDRESS"
}

cm_begin || exit 1
on_both_links programs
cm_end
