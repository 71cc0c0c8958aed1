#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# The demo, inside the guest: only our modules are loaded; a software HCA is
# made with the stock tool; stock programs run over it; a table ends it.

. "${KV_TREE:?}/tools/testing/qemu/guest-lib.sh"

show() {
	printf '\n$ %s\n' "$*"
	"$@"
}

# Every loaded module that Debian ships below drivers/infiniband must be ours:
# the srcversion that the kernel reports is the one of the file we built.
only_ours() {
	local name file loaded
	printf '\n%-10s %-9s %-25s %s\n' module version srcversion file
	while read -r name _; do
		file=$KV_OURS/$name.ko
		case $name in
		ib_core | ib_uverbs | shca) ;;
		*)
			! find "$KV_STOCK" -name "${name//_/[-_]}.ko" | grep -q . ||
				{ echo "stock RDMA module $name is loaded"; return 1; }
			continue
			;;
		esac
		loaded=$(cat "/sys/module/$name/srcversion")
		[ "$loaded" = "$(modinfo -F srcversion "$file")" ] ||
			{ echo "$name is loaded, but not the one we built"; return 1; }
		printf '%-10s %-9s %-25s %s\n' "$name" "$(cat "/sys/module/$name/version")" \
			"$loaded" "${file#"$KV_TREE"/}"
	done </proc/modules
}

table() {
	printf '\n%-18s %-26s %s\n' program what figure
	printf '%-18s %-26s %s\n' ------- ---- ------
	awk -F '\t' '{ printf "%-18s %-26s %s\n", $1, $2, $3 }' /results/rows
	printf '\nlibibverbs.so.1 of the programs: %s\n' \
		"$(ldd /usr/bin/ibv_rc_pingpong | awk '/libibverbs/ { print $3 }')"
}

kv_load_driver shca && kv_netdev dummy0 0 || exit 1
show rdma link add shca0 type shca netdev dummy0 || exit 1
kv_device_node shca0 && only_ours || exit 1
show rdma link || exit 1
show ibv_devices || exit 1
show ibv_devinfo -v || exit 1
echo
export KV_DEV=shca0
failed=0
"$KV_TREE/tools/testing/qemu/stock-programs.sh" || failed=1
only_ours >/dev/null || failed=1
table
[ "$failed" = 0 ] && echo 'demo: everything ran' || echo 'demo: FAILED, see above'
exit "$failed"
