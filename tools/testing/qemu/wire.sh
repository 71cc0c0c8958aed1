# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Functions for scripts in the guests of a pair: the link on the wire, and having the other guest
# do something. Sourced after guest-lib.sh.
#
# Set by the host: KV_WIRE_DRIVERS KV_WIRE_MTU. Set here: WIRE_NETDEV by wire_up, KV_DEV and
# WIRE_GID by wire_link, KV_CORE by wire_core.

. "${KV_TREE:?}/tools/testing/qemu/pair.sh"

WIRE_NEAR=10.88.0.1 WIRE_FAR=10.88.0.2
WIRE_NEAR6=fd88::1 WIRE_FAR6=fd88::2
WIRE_FAR_PORT=7491 WIRE_TRIES=300
WIRE_PORT=18600	# of a program's own TCP connection; each gets another

wire_netdev() {
	local path
	for path in /sys/class/net/*; do
		[ "$(cat "$path/address")" != "52:54:00:77:00:0$1" ] || echo "${path##*/}"
	done
}

# wire_addresses NETDEV 1|2
wire_addresses() {
	ip addr add "10.88.0.$2/24" dev "$1" && ip -6 addr add "fd88::$2/64" dev "$1" nodad &&
		ip link set "$1" up
}

# wire_up 1|2: the netdev of the near or the far end, with addresses.
wire_up() {
	modprobe virtio_net || return
	WIRE_NETDEV=$(wire_netdev "$1")
	ip link set "$WIRE_NETDEV" mtu "$KV_WIRE_MTU" && wire_addresses "$WIRE_NETDEV" "$1"
}

# wire_core CORE: takes the place of the one that is loaded.
wire_core() {
	[ "$1" != "$KV_CORE" ] || return 0
	rmmod ib_uverbs && rmmod ib_core && export KV_CORE=$1 && kv_load_core
}

# wire_link DRIVER: loads it and makes the link.
wire_link() {
	kv_load_driver "$1" && kv_link "$1" "$WIRE_NETDEV" || return
	KV_DEV=${1}0
	WIRE_GID=$(kv_gid "$KV_DEV")
}

# wire_lib DRIVER: the library for it; only Debian's own knows rdma_rxe.
wire_lib() {
	[ "$1" = rxe ] && kv_use_lib stock || kv_use_lib "$KV_LIB"
}

# wire_unload DRIVER: whose links are gone; one driver at a time can own the port.
wire_unload() {
	local module=$1
	[ "$1" != rxe ] || module=rdma_rxe
	[ ! -d "/sys/module/$module" ] || rmmod "$module"
}

# wire_unlink DRIVER: takes link and driver away.
wire_unlink() {
	rdma link delete "${1}0" && wire_unload "$1"
}

# far VERB WORDS...: has the other end do something, see far.py: its output, its exit status.
far() {
	local stream status tries
	for ((tries = 0; tries < WIRE_TRIES; tries++)); do
		# It may still be booting.
		{ exec {stream}<>"/dev/tcp/$WIRE_FAR/$WIRE_FAR_PORT"; } 2>/dev/null && break
		sleep 0.3
	done
	[ "$tries" != "$WIRE_TRIES" ] && printf '%q ' "$@" >&"$stream" && echo >&"$stream" &&
		read -r status <&"$stream" || return 1
	cat <&"$stream"
	exec {stream}>&-
	return "$status"
}

# wire_gid6 DEV: index of the RoCE v2 GID of the IPv6 address above.
wire_gid6() {
	local port=/sys/class/infiniband/$1/ports/1 n
	for n in $(cd "$port/gids" && printf '%s\n' * | sort -n); do
		grep -q '^fd88:' "$port/gids/$n" && grep -q 'RoCE v2' "$port/gid_attrs/types/$n" &&
			echo "$n" && return 0
	done
	return 1
}
