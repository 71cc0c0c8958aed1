# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Functions for scripts in the guests of a pair: the link on the wire, and having the other guest
# do something. Sourced after guest-lib.sh.
#
# Set by the host: KV_WIRE_DRIVER KV_WIRE_MTU. Set by wire_up: KV_DEV, WIRE_GID, WIRE_NETDEV.

. "${KV_TREE:?}/tools/testing/qemu/pair.sh"

WIRE_NEAR=10.88.0.1 WIRE_FAR=10.88.0.2
WIRE_NEAR6=fd88::1 WIRE_FAR6=fd88::2
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

# wire_up 1|2: addresses, driver and link of the near or the far end.
wire_up() {
	modprobe virtio_net || return
	WIRE_NETDEV=$(wire_netdev "$1")
	ip link set "$WIRE_NETDEV" mtu "$KV_WIRE_MTU" && wire_addresses "$WIRE_NETDEV" "$1" || return
	wire_link "$KV_WIRE_DRIVER"
}

# wire_link DRIVER: loads it and makes the link.
wire_link() {
	kv_load_driver "$1" && kv_link "$1" "$WIRE_NETDEV" || return
	KV_DEV=${1}0
	WIRE_GID=$(kv_gid "$KV_DEV")
}

# wire_unlink DRIVER: takes both away, as one driver at a time can own the port.
wire_unlink() {
	local module=$1
	[ "$1" != rxe ] || module=rdma_rxe
	rdma link delete "${1}0" && rmmod "$module"
}

far() {
	"$KV_TREE/tools/testing/qemu/far.py" "$WIRE_FAR" "$@"
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
