#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Runs in a guest that booted with ipv6.disable=1 and nothing loaded: what programs see
# step by step, from no module to a device that carries traffic (field cases F43, F46, F55).
# Prints TAP.

. "${KV_TREE:?}/tools/testing/qemu/guest-lib.sh"
. "$KV_TREE/tools/testing/qemu/pair.sh"
. "$KV_TREE/tools/testing/tap.sh"
KV_CORE=ours
BIN=$KV_BUILD/bin
OUT=$(mktemp -d)
kv_use_lib shim

# ok DESCRIPTION COMMAND...: one result; what the command printed explains a failure.
ok() {
	local what=$1
	shift
	if "$@" >"$OUT/ok" 2>&1; then
		tap_result 0 "$what"
	else
		tap_result 1 "$what"
		sed 's/^/# /' "$OUT/ok" | head -n 10
	fi
}

fails_with() {
	local text=$1
	shift
	! "$@" >"$OUT/fails" 2>&1 && grep -q "$text" "$OUT/fails" && return 0
	cat "$OUT/fails"
	return 1
}

# Names in the order of the list; nothing else on either channel.
devices() {
	"$BIN/ibv_devices" 2>"$OUT/stderr" | awk 'NR > 2 { print $1 }' | sort
	[ ! -s "$OUT/stderr" ]
}

lists() {
	[ "$(devices | xargs)" = "$*" ] || { echo "listed: $(devices | xargs)"; return 1; }
}

port_state() {
	"$BIN/ibv_devinfo" -d "$1" | sed -n 's/.*state:[[:space:]]*\(PORT_[A-Z]*\).*/\1/p'
}

becomes() {
	local tries
	for tries in $(seq 40); do
		[ "$(port_state "$1")" = "$2" ] && return 0
		sleep 0.05
	done
	port_state "$1"
	return 1
}

netdev() {
	ip link add "$1" address "02:00:00:00:78:0$2" type dummy &&
		ip addr add "10.78.$2.1/24" dev "$1"
}

no_module() {
	ok "F55: the kernel has no IPv6" test ! -e /proc/sys/net/ipv6
	ok "F43: without modules the list is NULL with ENOSYS" \
		fails_with 'Function not implemented' "$BIN/ibv_devices"
	ok "F43: Debian's program takes it for that too" \
		fails_with 'Function not implemented' /usr/bin/ibv_devices
	ok "F55: ib_core and ib_uverbs load" kv_load_core
	ok "F43: without a device the list is empty, and no error" lists
	ok "F55: shca loads" kv_load_driver shca
	ok "F43: a module without links lists nothing" lists
}

# The link comes before the netdev is up, as set-up scripts do it.
first_link() {
	netdev odd0 0
	ok "F46: a link on a netdev that is down" rdma link add shca0 type shca netdev odd0
	kv_device_node shca0
	ok "F46: rdma link and the list agree" lists shca0
	ok "F46: the port says DOWN" becomes shca0 PORT_DOWN
	ip link set odd0 up
	ok "F46: ACTIVE when the netdev is up" becomes shca0 PORT_ACTIVE
	ip link set odd0 carrier off
	ok "F46: DOWN without carrier" becomes shca0 PORT_DOWN
	ip link set odd0 carrier on
	ok "F46: ACTIVE with carrier" becomes shca0 PORT_ACTIVE
}

traffic() {
	local gid
	gid=$(kv_gid "$1") || { echo "no GID of an IPv4 address"; return 1; }
	pair_run 60 ibv_rc_pingpong -d "$1" -g "$gid" -n 50 -c || { cat "$PAIR_DIR"/*; return 1; }
}

node_of() {
	grep -lx "$1" /sys/class/infiniband_verbs/uverbs*/ibdev | sed 's|.*/\(uverbs[0-9]*\)/.*|/dev/infiniband/\1|'
}

bad_nodes() {
	local node
	netdev odd1 1 && ip link set odd1 up && rdma link add shca1 type shca netdev odd1 &&
		kv_device_node shca1
	ok "F43: two links, two devices" lists shca0 shca1
	node=$(node_of shca1)
	chmod 0 "$node"
	ok "F43: a node of mode 0 hides nobody" lists shca0 shca1
	ok "F43: opening it as a user is EACCES" fails_with 'Permission denied' \
		setpriv --reuid 65534 --regid 65534 --clear-groups "$BIN/ibv_devinfo" -d shca1
	rm "$node"
	ok "F43: a node that is gone hides nobody" lists shca0 shca1
	ok "F43, F46: opening it is ENOENT" fails_with 'No such file' "$BIN/ibv_devinfo" -d shca1
	mknod "$node" c 1 3
	ok "F43: a node that is another device's is ENXIO" fails_with 'No such device or address' \
		"$BIN/ibv_devinfo" -d shca1
	rm "$node"
	ok "F43: the other one carries traffic" traffic shca0
	kv_device_node shca1
	ok "F43: it opens when its node is back" "$BIN/ibv_devinfo" -d shca1
	ok "F43: without /sys the list is the same" \
		unshare -m bash -c "umount -l /sys && [ \$($BIN/ibv_devices | wc -l) = 4 ]"
	rdma link delete shca1
	ok "F43: a deleted link leaves the list" lists shca0
	rdma link add shca1 type shca netdev odd1 && kv_device_node shca1
	ok "F43: and is there again when made anew" lists shca0 shca1
}

# A device for which the library has no user part: left out, and said so only where asked. It
# takes UDP port 4791, and links of ours work without.
foreign_device() {
	netdev odd2 2 && ip link set odd2 up
	if ! kv_load_driver rxe || ! rdma link add rxe0 type rxe netdev odd2; then
		echo "ok - # SKIP F46: Debian's rdma_rxe does not load without IPv6"
		return
	fi
	ok "F46: a device of another driver is left out, without a word" lists
	IBV_SHOW_WARNINGS=1 "$BIN/ibv_devices" >/dev/null 2>"$OUT/warned"
	ok "F46: with IBV_SHOW_WARNINGS both driver ids are named" \
		grep -Eq 'rxe0.*driver id is [0-9]+, this library knows [0-9]+' "$OUT/warned"
}

no_module
foreign_device
first_link
ok "F55: RC ping-pong over an IPv4 address" traffic shca0
ok "F55: every GID maps an IPv4 address, or is the port's own" bash -c \
	"! $BIN/ibv_devinfo -v -d shca0 | grep 'GID\[' | grep -v '::ffff:10.78' | grep -v 'fe80::'"
bad_nodes
