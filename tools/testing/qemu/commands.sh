#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Runs in a guest: our commands beside Debian's of the same names, both over our library: what
# they print for people is the same, line by line; ping-pongs of ours and of theirs play with
# one another. (Options and usage are looked at without a guest, by tools/testing/man/check.)
# Prints TAP.

. "${KV_TREE:?}/tools/testing/qemu/guest-lib.sh"
. "$KV_TREE/tools/testing/qemu/pair.sh"
. "$KV_TREE/tools/testing/tap.sh"
BIN=$KV_BUILD/bin
OUT=$(mktemp -d)
dev=${KV_DEV:-shca0}
LIMIT=$((60 * ${KV_SLOW:-1}))
kv_use_lib shim

# same DESCRIPTION FILE FILE: one result, with the difference.
same() {
	diff "$2" "$3" >"$OUT/diff" 2>&1
	tap_result $? "$1"
	sed 's/^/# /' "$OUT/diff" | head -n 20
}

# explains TEXT COMMAND...: fails, and says why on standard error.
explains() {
	local text=$1
	shift
	timeout "$LIMIT" "$@" >"$OUT/stdout" 2>"$OUT/stderr" </dev/null
	[ $? = 1 ] && grep -qi -- "$text" "$OUT/stderr"
	tap_result $? "${*##*/} is explained"
}

# What only shows with a device; tools/testing/man/check has the rest.
usage_errors() {
	explains "nosuch" "$BIN/ibv_devinfo" -d nosuch
	explains "nosuch" "$BIN/ibv_asyncwatch" -d nosuch
	explains "no port 9" "$BIN/ibv_devinfo" -d "$dev" -i 9
	explains "which GID is ours" "$BIN/ibv_rc_pingpong" -d "$dev"
	explains "no GID 200" "$BIN/ibv_ud_pingpong" -d "$dev" -g 200
	explains "meet the other side" "$BIN/ibv_rc_pingpong" -d "$dev" -g 1 -p 1 localhost
}

texts() {
	local arguments
	for arguments in "" "-v" "-l" "-d $dev" "-d $dev -i 1 -v"; do
		# shellcheck disable=SC2086
		/usr/bin/ibv_devinfo $arguments >"$OUT/theirs" 2>&1
		# shellcheck disable=SC2086
		"$BIN/ibv_devinfo" $arguments >"$OUT/ours" 2>&1
		same "ibv_devinfo $arguments prints what Debian's does" "$OUT/theirs" "$OUT/ours"
	done
	/usr/bin/ibv_devices >"$OUT/theirs"
	"$BIN/ibv_devices" >"$OUT/ours"
	same "ibv_devices prints what Debian's does" "$OUT/theirs" "$OUT/ours"
}

# Each number that the text shows is in the JSON under the same name.
json() {
	"$BIN/ibv_devinfo" -v -d "$dev" >"$OUT/text"
	"$BIN/ibv_devinfo" -v -d "$dev" --json >"$OUT/json"
	python3 - "$OUT/text" "$OUT/json" <<-'EOT' >"$OUT/checked" 2>&1
		import json, re, sys
		device, = json.load(open(sys.argv[2]))
		port, = device["ports"]
		checked = 0
		for line in open(sys.argv[1]):
		    match = re.match(r"\t+(\w+):\t+(0x[0-9a-fA-F]+|\d+)( \(\d+\)|kbps)?$", line)
		    if not match or match.group(1) == "port":
		        continue
		    name, value = match.group(1), int(match.group(2), 0)
		    found = port.get(name, device.get(name))
		    assert found == value, f"{name}: text {value}, JSON {found}"
		    checked += 1
		assert checked > 40, f"only {checked} numbers in the text"
		assert port["state"] == "PORT_ACTIVE" and port["gids"][0]["gid"].startswith("fe80::")
		assert device["node_guid"].count(":") == 3
	EOT
	tap_result $? "ibv_devinfo --json is JSON and says what the text says"
	sed 's/^/# /' "$OUT/checked" | tail -n 3
	"$BIN/ibv_devinfo" -l -J | python3 -c 'import json,sys; assert any(d["name"] == sys.argv[1] for d in json.load(sys.stdin))' "$dev"
	tap_result $? "ibv_devinfo -l --json lists the device"
	"$BIN/ibv_devinfo" -J -d nosuch 2>/dev/null | python3 -c 'import json,sys; assert json.load(sys.stdin) == []'
	tap_result $? "ibv_devinfo --json of no device is an empty list"
}

# Figures differ from run to run, the words do not.
shape() {
	sed -E 's/(0x|::ffff:|(LID|RECV|SEND|PSN|SRQN) (0x)?)[0-9a-f.]+/\2N/g; s/[0-9]+(\.[0-9]+)?/N/g
		s/: GID/, GID/' "$1"
}

# play LABEL SERVER CLIENT OPTIONS...: both end well.
play() {
	local label=$1 server=$2 client=$3
	shift 3
	PAIR_PORT=$((PAIR_PORT + 1))
	timeout -k 2 "$LIMIT" "$server" "$@" -p "$PAIR_PORT" >"$OUT/server" 2>&1 &
	local pid=$! rc=0
	pair_listening "$PAIR_PORT" "$pid" &&
		timeout -k 2 "$LIMIT" "$client" "$@" -p "$PAIR_PORT" localhost >"$OUT/client" 2>&1 || rc=1
	[ "$rc" = 0 ] || kill "$pid" 2>/dev/null
	wait "$pid" || rc=1
	tap_result "$rc" "$label"
	[ "$rc" = 0 ] || sed 's/^/# /' "$OUT/server" "$OUT/client" | head -n 12
	return "$rc"
}

pingpongs() {
	local gid name options
	gid=$(kv_gid "$dev")
	for name in rc uc ud srq; do
		options="-d $dev -g $gid -n 64 -r 64"
		[ "$name" != srq ] || options="$options -q 4"
		# shellcheck disable=SC2086
		play "ibv_${name}_pingpong: Debian's with Debian's" /usr/bin/ibv_${name}_pingpong \
			/usr/bin/ibv_${name}_pingpong $options && shape "$OUT/client" >"$OUT/theirs"
		# shellcheck disable=SC2086
		play "ibv_${name}_pingpong: ours with ours" "$BIN/ibv_${name}_pingpong" \
			"$BIN/ibv_${name}_pingpong" $options && shape "$OUT/client" >"$OUT/ours"
		same "ibv_${name}_pingpong prints what Debian's does" "$OUT/theirs" "$OUT/ours"
		# shellcheck disable=SC2086
		play "ibv_${name}_pingpong: our server, Debian's client" "$BIN/ibv_${name}_pingpong" \
			/usr/bin/ibv_${name}_pingpong $options
		# shellcheck disable=SC2086
		play "ibv_${name}_pingpong: Debian's server, our client" /usr/bin/ibv_${name}_pingpong \
			"$BIN/ibv_${name}_pingpong" $options
	done
	xsrq "$gid"
	options="-d $dev -g $gid -n 64 -r 64"
	# shellcheck disable=SC2086
	play "ibv_rc_pingpong -c -e" "$BIN/ibv_rc_pingpong" "$BIN/ibv_rc_pingpong" $options -c -e
	# shellcheck disable=SC2086
	play "ibv_ud_pingpong -c -e" "$BIN/ibv_ud_pingpong" "$BIN/ibv_ud_pingpong" $options -c -e
	# shellcheck disable=SC2086
	play "ibv_rc_pingpong -N -m 1024 -s 100000" "$BIN/ibv_rc_pingpong" "$BIN/ibv_rc_pingpong" \
		$options -N -c -m 1024 -s 100000
	# shellcheck disable=SC2086
	play "ibv_srq_pingpong -e" "$BIN/ibv_srq_pingpong" "$BIN/ibv_srq_pingpong" $options -e
}

# Not the same options for all: it has no -r, and -c is the number of clients.
xsrq() {
	local options="-d $dev -g $1 -n 64" server client
	for server in "$BIN" /usr/bin; do
		for client in "$BIN" /usr/bin; do
			# shellcheck disable=SC2086
			play "ibv_xsrq_pingpong: server of $(whose "$server"), client of $(whose "$client")" \
				"$server/ibv_xsrq_pingpong" "$client/ibv_xsrq_pingpong" $options &&
				shape "$OUT/client" >"$OUT/xsrq-$(whose "$client")"
		done
	done
	same "ibv_xsrq_pingpong prints what Debian's does" "$OUT/xsrq-theirs" "$OUT/xsrq-ours"
	# shellcheck disable=SC2086
	play "ibv_xsrq_pingpong -e" "$BIN/ibv_xsrq_pingpong" "$BIN/ibv_xsrq_pingpong" $options -e
	for client in "$BIN" /usr/bin; do
		# shellcheck disable=SC2086
		xsrq_clients "$client" 3 $options
	done
}

whose() {
	[ "$1" = "$BIN" ] && echo ours || echo theirs
}

# xsrq_clients FOLDER COUNT OPTIONS...: so many clients at our server, all at once.
xsrq_clients() {
	local folder=$1 count=$2 pid rc=0 i clients=()
	shift 2
	PAIR_PORT=$((PAIR_PORT + 1))
	timeout -k 2 "$LIMIT" "$BIN/ibv_xsrq_pingpong" "$@" -c "$count" -p "$PAIR_PORT" \
		>"$OUT/server" 2>&1 &
	pid=$!
	pair_listening "$PAIR_PORT" "$pid" || rc=1
	for ((i = 0; i < count && rc == 0; i++)); do
		timeout -k 2 "$LIMIT" "$folder/ibv_xsrq_pingpong" "$@" -p "$PAIR_PORT" localhost \
			>"$OUT/client$i" 2>&1 &
		clients+=($!)
	done
	for i in "${clients[@]}"; do
		wait "$i" || rc=1
	done
	[ "$rc" = 0 ] || kill "$pid" 2>/dev/null
	wait "$pid" || rc=1
	tap_result "$rc" "ibv_xsrq_pingpong: $count clients, $(whose "$folder"), of our server"
	[ "$rc" = 0 ] || sed 's/^/# /' "$OUT/server" "$OUT"/client? | head -n 20
}

# What only some devices can: it works, or the program says that the device has no such thing.
special() {
	local option gid
	gid=$(kv_gid "$dev")
	for option in -t -j -o -O; do
		if "$BIN/ibv_rc_pingpong" -d "$dev" -g "$gid" $option -p 1 localhost 2>&1 |
			grep -q 'the device has no'; then
			echo "ok - ibv_rc_pingpong $option: says that the device cannot"
		else
			play "ibv_rc_pingpong $option" "$BIN/ibv_rc_pingpong" "$BIN/ibv_rc_pingpong" \
				-d "$dev" -g "$gid" -n 64 -r 64 $option
		fi
	done
}

# Both watch while the netdev goes down and up.
asyncwatch() {
	local netdev theirs ours
	netdev=$(cat "/sys/class/infiniband/$dev/ports/1/gid_attrs/ndevs/0")
	/usr/bin/ibv_asyncwatch -d "$dev" >"$OUT/theirs" &
	theirs=$!
	"$BIN/ibv_asyncwatch" -d "$dev" >"$OUT/ours" &
	ours=$!
	sleep "$((1 * ${KV_SLOW:-1}))"
	ip link set "$netdev" down
	sleep 1
	ip link set "$netdev" up
	sleep 1
	kill "$theirs" "$ours"
	wait "$theirs" "$ours" 2>/dev/null
	# Theirs is not written out line by line.
	head -n 1 "$OUT/ours" | grep -qE "^$dev: async event FD [0-9]+$"
	tap_result $? "ibv_asyncwatch begins like Debian's"
	grep -qx '  event_type IBV_EVENT_PORT_ERR (10), port 1' "$OUT/ours" &&
		grep -qx '  event_type IBV_EVENT_PORT_ACTIVE (9), port 1' "$OUT/ours"
	tap_result $? "ibv_asyncwatch shows the port going down and up"
	sed 's/^/# /' "$OUT/ours"
}

# Debian's program over Debian's library and rdma_rxe, and over ours and shca: what it finds to
# say of the one it says of the other too.
strangers() {
	[ -d /sys/class/infiniband/rxe0 ] && [ "$dev" != rxe0 ] || return 0
	env -u LD_LIBRARY_PATH /usr/bin/ibv_devinfo -v -d rxe0 >"$OUT/rxe"
	/usr/bin/ibv_devinfo -v -d "$dev" >"$OUT/shca"
	names() { sed -nE 's/^\t+([a-z_ ]+):.*/\1/p' "$1" | sort -u; }
	comm -23 <(names "$OUT/rxe") <(names "$OUT/shca") >"$OUT/missing"
	[ "$(names "$OUT/rxe" | wc -l)" -gt 50 ] && [ ! -s "$OUT/missing" ]
	tap_result $? "ibv_devinfo -v says of $dev all that it says of rxe0"
	sed 's/^/# missing: /' "$OUT/missing"
}

# The examples of the manual, which its check has compiled.
examples() {
	local program
	for program in "$KV_BUILD"/examples/*; do
		case $program in
		*.c) continue ;;
		*'*') echo "ok - # SKIP examples: the tier man has not been run"; continue ;;
		esac
		timeout "$LIMIT" "$program" >"$OUT/example" 2>&1
		tap_result $? "the example of ${program##*/} runs"
		sed 's/^/# /' "$OUT/example" | head -n 3
	done
}

usage_errors
texts
json
pingpongs
special
asyncwatch
strangers
examples
