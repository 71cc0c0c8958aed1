# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Runs a stock program as server and client on one host, bounded in time, and
# reads a figure out of what it printed. Sourced by stock-programs.sh and by
# the measurements.

PAIR_PORT=18600	# each pair gets a port of its own, so none meets TIME_WAIT
PAIR_DIR=$(mktemp -d)

exec {PAIR_NAP}<> <(:)	# a pipe that says nothing

# pair_nap SECONDS: sleeps without a program, which is slow to start in a guest.
pair_nap() {
	read -rt "$1" -u "$PAIR_NAP" || true
}

# pair_listens FILE PORT-IN-HEX: somebody listens there.
pair_listens() {
	local address state
	while read -r _ address _ state _; do
		[ "$state" = 0A ] && [ "${address##*:}" = "$2" ] && return 0
	done <"$1"
	return 1
}

# pair_listening PORT PID: waits (at most 10 s) until somebody listens there.
pair_listening() {
	local hex tries
	printf -v hex '%04X' "$1"
	for ((tries = 0; tries < 200; tries++)); do
		pair_listens /proc/net/tcp "$hex" && return 0
		[ ! -e /proc/net/tcp6 ] || ! pair_listens /proc/net/tcp6 "$hex" || return 0
		kill -0 "$2" 2>/dev/null || return 1
		pair_nap 0.05
	done
	return 1
}

# pair_run SECONDS PROGRAM ARGUMENTS...: 0 when both ends ended well. What they
# printed is in $PAIR_DIR/server and $PAIR_DIR/client.
pair_run() {
	local limit=$1 server rc=0
	shift
	PAIR_PORT=$((PAIR_PORT + 1))
	timeout -k 2 "$limit" "$@" -p "$PAIR_PORT" >"$PAIR_DIR/server" 2>&1 &
	server=$!
	: >"$PAIR_DIR/client"
	if pair_listening "$PAIR_PORT" "$server"; then
		timeout -k 2 "$limit" "$@" -p "$PAIR_PORT" localhost >"$PAIR_DIR/client" 2>&1 || rc=$?
	else
		echo "the server never listened" >"$PAIR_DIR/client"
		rc=1
	fi
	[ "$rc" = 0 ] || kill "$server" 2>/dev/null
	wait "$server" || rc=$?
	return "$rc"
}

# pair_row FIELD: that column of the client's last line of figures.
pair_row() {
	awk -v field="$1" '$1 ~ /^[0-9]+$/ && NF >= 4 && $2 ~ /^[0-9]+$/ { value = $field }
		END { print value }' "$PAIR_DIR/client"
}

# pair_figure PROGRAM: the figure that a reader wants, with its unit.
pair_figure() {
	case $1 in
	ibv_*) sed -n 's/.* = \(.*\) usec\/iter$/\1 us per exchange/p' "$PAIR_DIR/client" | tail -n 1 ;;
	*_bw) echo "$(pair_row 4) MB/s" ;;
	*_lat) echo "$(pair_row 5) us typical" ;;
	esac
}
