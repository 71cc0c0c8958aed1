#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Runs in a guest: Debian's own programs, built against the stock library (field case F44), each
# as server and client on one host, over the device $KV_DEV. Prints TAP; the figures go to
# /results/rows as "program<TAB>what<TAB>figure" for whoever wants a table.

. "${KV_TREE:?}/tools/testing/qemu/guest-lib.sh"
. "$KV_TREE/tools/testing/qemu/pair.sh"

dev=${KV_DEV:?}
gid=$(kv_gid "$dev") || { echo "Bail out! $dev has no RoCE v2 GID"; exit 1; }
LIMIT=${KV_LIMIT:-$((60 * ${KV_SLOW:-1}))}

# One line per run: label | program and its options. -c validates the bytes.
RUNS="
RC ping-pong, validated|ibv_rc_pingpong -c -n 500
RC ping-pong, events|ibv_rc_pingpong -c -e -n 200
UC ping-pong, validated|ibv_uc_pingpong -c -n 500
UD ping-pong, validated|ibv_ud_pingpong -c -n 500
SRQ ping-pong, validated|ibv_srq_pingpong -c -n 50
RDMA write 64 KiB|ib_write_bw -s 65536 -n 500
RDMA read 64 KiB|ib_read_bw -s 65536 -n 500
send 64 KiB|ib_send_bw -s 65536 -n 500
send 64 KiB, events|ib_send_bw -s 65536 -n 200 -e
RDMA write 2 B|ib_write_lat -s 2 -n 1000
send 2 B|ib_send_lat -s 2 -n 1000
RDMA read 2 B|ib_read_lat -s 2 -n 1000
fetch-and-add|ib_atomic_bw -n 500 -A FETCH_AND_ADD
compare-and-swap|ib_atomic_bw -n 500 -A CMP_AND_SWAP
"

options_for() {
	case $1 in
	ibv_*) echo "-d $dev -g $gid" ;;
	*) echo "-d $dev -x $gid -F" ;;
	esac
}

# The ping-pongs say "invalid data in page" and exit well: look for it.
data_is_wrong() {
	grep -qE 'invalid data|Failed|failed|error' "$PAIR_DIR/server" "$PAIR_DIR/client"
}

# perftest refuses to measure while it cannot calibrate its clock, which says
# something about how busy the machine is and nothing about us.
clock_is_unsteady() {
	grep -q 'Correlation coefficient' "$PAIR_DIR/server" "$PAIR_DIR/client"
}

run_pair() {
	local tries
	for tries in 1 2 3; do
		pair_run "$LIMIT" "$@" && ! data_is_wrong && return 0
		clock_is_unsteady || return 1
	done
	return 1
}

show_failure() {
	local end
	for end in server client; do
		sed "s/^/# $end: /" "$PAIR_DIR/$end" | tail -n 8
	done
}

run_all() {
	local label program options n=0
	echo "1..$(grep -c '|' <<<"$RUNS")"
	: >/results/rows
	while IFS='|' read -r label options; do
		[ -n "$label" ] || continue
		n=$((n + 1))
		program=${options%% *}
		# shellcheck disable=SC2046,SC2086
		if run_pair $options $(options_for "$program"); then
			printf 'ok %d %s: %s, %s\n' "$n" "$program" "$label" "$(pair_figure "$program")"
			printf '%s\t%s\t%s\n' "$program" "$label" "$(pair_figure "$program")" >>/results/rows
		else
			printf 'not ok %d %s: %s\n' "$n" "$program" "$label"
			show_failure
			failed=1
		fi
	done <<<"$RUNS"
}

failed=0
run_all
exit "$failed"
