# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# What the tests of Debian's connection manager and of the protocols on it share: results, the
# modules, a story told on both links. Sourced in a guest with the stock core.

. "${KV_TREE:?}/tools/testing/qemu/guest-lib.sh"

ADDRESS=10.77.0.1
LIMIT=$((30 * ${KV_SLOW:-1}))
number=0

# result STATUS NAME [FILE]: one line, and what the program said when it failed.
result() {
	number=$((number + 1))
	if [ "$1" = 0 ]; then
		echo "ok $number - $2"
	else
		echo "not ok $number - $2: status $1"
		[ -z "${3:-}" ] || tail -n 8 "$3" | sed 's/^/# /'
	fi
	return "$1"
}

cm_load() {
	local file
	for file in core/ib_cm core/iw_cm core/rdma_cm core/rdma_ucm; do
		kv_insmod "$KV_STOCK/$file.ko" || return
	done
}

# cm_begin, then what is tested, then cm_end: they go again only when nobody holds them.
cm_begin() {
	cm_load >/tmp/out 2>&1
	result $? "Debian's ib_cm, rdma_cm and rdma_ucm load over $KV_DEV" /tmp/out
}

cm_unload() {
	rmmod rdma_ucm && rmmod rdma_cm && rmmod iw_cm && rmmod ib_cm
}

cm_end() {
	cm_unload
	result $? 'they can go again'
	echo "1..$number"
}

# on_both_links COMMAND: once on the link that the driver chooses, and once on the forced wire.
on_both_links() {
	"$1" 'direct link'
	echo 1 >/sys/module/shca/parameters/force_wire
	"$1" 'forced wire'
	echo 0 >/sys/module/shca/parameters/force_wire
}
