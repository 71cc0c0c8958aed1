#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Runs in the near guest of a pair, or in the near namespace of wire-local.sh: Debian's own
# programs over the wire to the far end, in both roles. Prints TAP. KV_WHOLE=1: longer lists.
#
#   wire-programs.sh LIST...     lists: captured xrc basic short sizes mtu ipv6 bad-day
#   faults (the bad day's, with more programs)

. "${KV_TREE:?}/tools/testing/qemu/guest-lib.sh"
. "$KV_TREE/tools/testing/qemu/wire.sh"
. "$KV_TREE/tools/testing/qemu/wire-tap.sh"

LIMIT=$((60 * ${KV_SLOW:-1}))
OUT=$(mktemp -d)
tests=0 failed=0

# One run a line: role | program and options. The role is what this end is. -o: perftest asks the
# other end for as many READs as its device can have, which may be more than ours.
XRC='
client|ibv_xsrq_pingpong -n 20
client|ib_send_bw -c XRC -s 65536 -n 30
client|ib_write_bw -c XRC -s 65536 -n 30
'
SHORT='
client|ibv_rc_pingpong -c -n 50
server|ibv_uc_pingpong -c -n 20
client|ibv_ud_pingpong -c -n 20
server|ib_write_bw -s 1048576 -n 5
client|ib_read_bw -s 65536 -n 20 -o 16
client|ib_send_lat -s 8 -n 30
server|ib_atomic_bw -n 30 -A CMP_AND_SWAP -o 16
'
BASIC='
client|ibv_rc_pingpong -c -n 50
server|ibv_rc_pingpong -c -n 50
client|ibv_uc_pingpong -c -n 20
server|ibv_uc_pingpong -c -n 20
client|ibv_ud_pingpong -c -n 20
server|ibv_ud_pingpong -c -n 20
client|ib_write_bw -s 65536 -n 30
server|ib_write_bw -s 65536 -n 30
client|ib_write_bw -s 65536 -n 30 -c UC
client|ib_read_bw -s 65536 -n 30 -o 16
server|ib_read_bw -s 65536 -n 30 -o 16
client|ib_send_bw -s 65536 -n 30
server|ib_send_bw -s 65536 -n 30
client|ib_write_lat -s 8 -n 30
client|ib_read_lat -s 8 -n 30 -o 16
client|ib_send_lat -s 8 -n 30
client|ib_atomic_bw -n 30 -A FETCH_AND_ADD -o 16
server|ib_atomic_bw -n 30 -A CMP_AND_SWAP -o 16
'
sizes='1 3 1025 1048576' mtu_roles=client
[ -z "${KV_WHOLE:-}" ] || sizes='1 2 3 5 1023 1025 4095 1048576' mtu_roles='client server'
SIZES=$(for size in $sizes; do
	printf 'client|ibv_rc_pingpong -c -n 5 -s %d\n' "$size"
done
for size in 1 1048576; do
	printf 'server|ib_read_bw -n 5 -s %d -o 16\n' "$size"
done)
MTUS=$(for mtu in 256 512 1024 2048 4096; do
	for role in $mtu_roles; do
		printf '%s|ibv_rc_pingpong -c -n 5 -s 20000 -m %d\n' "$role" "$mtu"
	done
done)
IPV6='
server|ibv_rc_pingpong -c -n 30
client|ibv_ud_pingpong -c -n 10
client|ib_read_bw -s 65536 -n 20 -o 16
'
BAD_DAY='
client|ibv_rc_pingpong -c -n 60 -s 9000
server|ib_write_bw -s 65536 -n 30
client|ib_read_bw -s 65536 -n 30 -o 16
client|ib_atomic_bw -n 50 -A FETCH_AND_ADD -o 16
'
LOSSY="$BAD_DAY"'
server|ibv_rc_pingpong -c -n 60 -s 9000
server|ib_read_bw -s 65536 -n 30 -o 16
client|ib_write_bw -s 65536 -n 30
client|ib_send_bw -s 65536 -n 30
server|ib_send_bw -s 65536 -n 30
'

# options PROGRAM DEVICE GID PORT
options() {
	case ${1##*/} in
	ibv_* | kinds) echo "-d $2 -g $3 -p $4" ;;
	*) echo "-d $2 -x $3 -F -p $4" ;;
	esac
}

# As client: the far end serves.
as_client() {
	far start "$WIRE_PORT" timeout "$LIMIT" "$@" $(options "$1" "$FAR_DEV" "$FAR_GID" "$WIRE_PORT") \
		>"$OUT/server" || return
	timeout "$LIMIT" "$@" $(options "$1" "$KV_DEV" "$GID" "$WIRE_PORT") "$WIRE_FAR" \
		>"$OUT/client" 2>&1 || { far wait 2 >"$OUT/server"; return 1; }
	far wait "$LIMIT" >"$OUT/server"
}

as_server() {
	local server rc=0
	timeout "$LIMIT" "$@" $(options "$1" "$KV_DEV" "$GID" "$WIRE_PORT") >"$OUT/server" 2>&1 &
	server=$!
	pair_listening "$WIRE_PORT" "$server" && far run timeout "$LIMIT" "$@" \
		$(options "$1" "$FAR_DEV" "$FAR_GID" "$WIRE_PORT") "$WIRE_NEAR" >"$OUT/client" || rc=1
	[ "$rc" = 0 ] || kill "$server" 2>/dev/null
	wait "$server" && [ "$rc" = 0 ]
}

wrong_words() {
	grep -qE 'invalid data|Failed|failed|error' "$OUT/server" "$OUT/client"
}

# Machines too busy to calibrate a clock, and datagrams that got lost among a crowd of other
# work, say nothing about us: another try.
run_one() {
	local role=$1 tries
	shift
	for tries in 1 2 3; do
		WIRE_PORT=$((WIRE_PORT + 1))
		: >"$OUT/server" >"$OUT/client"
		"as_$role" "$@" && ! wrong_words && return 0
		case "$*" in
		ibv_uc_* | ibv_ud_* | *'kinds -c U'*) ;;
		*) grep -q 'Correlation coefficient' "$OUT/server" "$OUT/client" || return 1 ;;
		esac
	done
	return 1
}

run_list() {
	local what=$1 role command
	while IFS='|' read -r role command; do
		[ -n "$role" ] || continue
		tests=$((tests + 1))
		# shellcheck disable=SC2086
		if run_one "$role" ${command/#kinds/$KV_BUILD/wire/kinds}; then
			echo "ok $tests - $what: $command, as $role"
		else
			echo "not ok $tests - $what: $command, as $role"
			# What a program said of its failure stands first: it was not buffered.
			sed 's/^/# server: /' "$OUT/server" | sed '4,${/---/d;4,12d}'
			sed 's/^/# client: /' "$OUT/client" | sed '4,${/---/d;4,12d}'
			failed=1
		fi
	done <<<"$2"
}

# run_faults LIST WHAT NETEM...: both directions suffer while the list runs.
run_faults() {
	local list=$1 what=$2
	shift 2
	tc qdisc replace dev "$WIRE_NETDEV" root netem "$@" &&
		far run tc qdisc replace dev "$FAR_NETDEV" root netem "$@" || {
		echo "not ok $((++tests)) - $what: no netem"
		failed=1
		return
	}
	run_list "$what" "$list"
	tc qdisc del dev "$WIRE_NETDEV" root
	far run tc qdisc del dev "$FAR_NETDEV" root
}

# counter NAME: what this end's link counted.
counter() {
	rdma statistic show link "$KV_DEV/1" | tr ' ' '\n' | grep -A1 "^$1\$" | tail -n 1
}

# F08: bits that flip under way are found by the ICRC, counted, and healed by sending again.
run_corruption() {
	local before
	before=$(counter rx_icrc_errors)
	run_faults "$1" corrupt corrupt 3%
	[ -n "$before" ] || return 0 # rdma_rxe does not count them
	tests=$((tests + 1))
	if [ "$(counter rx_icrc_errors)" -gt "$before" ]; then
		echo "ok $tests - F08: packets with flipped bits were dropped and counted"
	else
		echo "not ok $tests - F08: no flipped bit was counted"
		failed=1
	fi
}

for_ipv6() {
	GID=$(wire_gid6 "$KV_DEV") FAR_GID=$FAR_GID6
	run_list "$@"
	GID=$WIRE_GID FAR_GID=$FAR_GID4
}

all_faults() {
	modprobe sch_netem
	segments 1
	run_faults "$1" 'loss 1%' loss 1%
	run_faults "$1" reorder delay 1ms reorder 75% 50%
	run_faults "$1" duplicate duplicate 5%
	run_corruption "$1"
	segments 65535
}

# Every kind of packet from either end; rdma_rxe has no XRC.
captured() {
	local type types='RC UC UD XRC'
	[ "$FAR_DRIVER" != rxe ] || types='RC UC UD'
	tap_on
	for type in $types; do
		run_list kinds "client|kinds -c $type"
		run_list kinds "server|kinds -c $type"
	done
	for_ipv6 'kinds, IPv6' 'client|kinds -c RC'
	tap_off
}

GID=$WIRE_GID
read -r FAR_DEV FAR_GID4 FAR_GID6 FAR_NETDEV FAR_DRIVER < <(far run "$KV_TREE/tools/testing/qemu/wire-who.sh")
FAR_GID=$FAR_GID4
for list in "$@"; do
	case $list in
	captured) captured ;;
	xrc) [ "$FAR_DRIVER" = rxe ] || run_list xrc "$XRC" ;;
	basic) run_list basic "$BASIC" ;;
	short) run_list basic "$SHORT" ;;
	sizes) run_list sizes "$SIZES" ;;
	mtu) run_list mtu "$MTUS" ;;
	ipv6) for_ipv6 ipv6 "$IPV6" ;;
	bad-day) all_faults "$BAD_DAY" ;;
	faults) all_faults "$LOSSY" ;;
	esac
done
echo "1..$tests"
exit "$failed"
