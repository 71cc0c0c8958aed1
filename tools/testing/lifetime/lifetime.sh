#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Runs in a guest that came up with a core and no driver: takes devices, netdevs, namespaces and
# modules away under programs that use them. Each time: the call comes back in bounded time, no
# object, no reference on the netdev and no pinned page is left. Prints TAP.
#
# KV_LIFE="rxe shca" the drivers; KV_ROUNDS how often modules are loaded and ten times that many
# programs killed (6).

. "${KV_TREE:?}/tools/testing/qemu/guest-lib.sh"
. "$KV_TREE/tools/testing/tap.sh"
ROUNDS=${KV_ROUNDS:-6}
HOLD=$KV_BUILD/lifetime/hold
LIMIT=$((60 * ${KV_SLOW:-1}))	# seconds; what takes longer hangs
DEVICE_FATAL=8			# IBV_EVENT_DEVICE_FATAL

# Only shca lets go of its programs; with a driver that cannot, removal waits for their end.
lets_go() {
	[ "$DRIVER" = shca ]
}

module_of() {
	[ "$DRIVER" = rxe ] && echo rdma_rxe || echo "$DRIVER"
}

# bounded WHAT COMMAND...: comes back with success, in time.
bounded() {
	local what=$1
	shift
	timeout "$LIMIT" "$@" >/tmp/bounded 2>&1
	tap_result $? "$what"
}

refused() {
	local what=$1
	shift
	! timeout "$LIMIT" "$@" >/tmp/bounded 2>&1
	tap_result $? "$what"
}

holders=()
# hold [COMMAND...]: starts one more program, perhaps by COMMAND, and waits until it has everything.
# What it says is in $out.
hold() {
	local tries
	out=$(mktemp)
	"$@" "$HOLD" 300 >"$out" 2>&1 &
	holders+=($!)
	for tries in $(seq $((LIMIT * 10))); do
		grep -q ready "$out" && return 0
		kill -0 $! 2>/dev/null || break
		sleep 0.1
	done
	echo "# hold: $(head -n 1 "$out")"
	return 1
}

end_holders() {
	[ ${#holders[@]} = 0 ] || kill -9 "${holders[@]}" 2>/dev/null
	wait "${holders[@]}" 2>/dev/null
	holders=()
}

# Of the whole machine, with what each CPU has not yet reported.
pinned() {
	echo 1 >/proc/sys/vm/stat_refresh
	awk '$1 == "nr_foll_pin_acquired" { a = $2 } $1 == "nr_foll_pin_released" { r = $2 }
		END { print a - r }' /proc/vmstat
}

# How many objects of each kind the device has: the core's own (a GSI QP), when nobody uses it.
objects() {
	rdma -j resource show "$DEV" | tr -d ' \n[]{}"' | sed 's/.*ifname:[^,]*,//'
}

# nothing_left WHAT: programs have ended; teardown may go on for a moment.
nothing_left() {
	local tries now
	for tries in $(seq $((LIMIT * 10))); do
		now="$(objects) $(pinned)"
		[ "$now" = "$baseline" ] && break
		sleep 0.1
	done
	[ "$now" = "$baseline" ]
	tap_result $? "$1: no object and no pinned page is left"
	[ "$now" = "$baseline" ] || echo "#   objects and pinned pages: $now, before: $baseline"
}

make_device() {
	kv_netdev life0 7 && kv_link "$DRIVER" life0
}

end_device() {
	bounded "$1: the link goes" rdma link delete "$DEV"
	bounded "$1: its netdev goes" ip link del life0
}

# The module goes with the link deleted before it, and every other time from under it.
test_modules() {
	local n module failed=0
	module=$(module_of)
	kv_netdev life0 7
	for n in $(seq "$ROUNDS"); do
		kv_load_driver "$DRIVER" && kv_link "$DRIVER" life0 &&
			timeout "$LIMIT" "$HOLD" qkey >/dev/null &&
			{ [ $((n % 2)) = 0 ] || timeout "$LIMIT" rdma link delete "$DEV"; } &&
			timeout "$LIMIT" rmmod "$module" || { failed=$n; break; }
	done
	[ "$failed" = 0 ] && timeout "$LIMIT" ip link del life0
	tap_result $? "modules: $ROUNDS times loaded, used and unloaded"
}

test_core_modules() {
	local n failed=0
	for n in $(seq "$ROUNDS"); do
		rmmod ib_uverbs && rmmod ib_core && kv_load_core || { failed=$n; break; }
	done
	[ "$failed" = 0 ]
	tap_result $? "modules: core and uverbs $ROUNDS times unloaded and loaded"
}

# Killed anywhere between the first call and full traffic.
test_kills() {
	local kills=$((ROUNDS * 10))
	timeout $((LIMIT + kills)) "$HOLD" crowd "$kills" >/tmp/crowd
	tap_result $? "kill -9 of $kills programs: $(cat /tmp/crowd)"
	nothing_left "kill -9 of $kills programs"
}

test_busy_module() {
	hold
	tap_result $? "a program holds everything"
	refused "rmmod of the driver is refused while a program uses it" rmmod "$(module_of)"
	end_holders
	nothing_left "its end"
}

# removal WHAT COMMAND...: under a program. A driver that cannot let go waits for the program.
removal() {
	local what=$1 remover
	shift
	hold
	tap_result $? "$what: a program holds everything"
	timeout "$LIMIT" "$@" >/tmp/removal 2>&1 &
	remover=$!
	if lets_go; then
		wait "$remover"
		tap_result $? "$what under a program"
		timeout "$LIMIT" tail --pid "${holders[0]}" -f /dev/null
		grep -q "event $DEVICE_FATAL" "$out"
		tap_result $? "$what: the program is told so and ends"
	fi
	end_holders
	lets_go || { wait "$remover"; tap_result $? "$what after the program's end"; }
	sleep 0.2
}

gone() {
	[ ! -e "/sys/class/infiniband/$DEV" ]
	tap_result $? "$1: no device is left"
}

test_removals() {
	removal "rdma link delete" rdma link delete "$DEV"
	gone "link delete"
	bounded "the netdev goes after it" ip link del life0
	make_device
	removal "ip link del" ip link del life0
	gone "ip link del"
	make_device
	nothing_left "a new device"
}

# A netdev that is up keeps its name.
rename_netdev() {
	ip link set "$1" down && ip link set "$1" name "$2" && ip link set "$2" up
}
export -f rename_netdev

test_rename() {
	hold
	bounded "the netdev is renamed under a program" bash -c "rename_netdev life0 life1"
	bounded "and back" bash -c "rename_netdev life1 life0"
	bounded "the device is renamed under a program" rdma dev set "$DEV" name other0
	bounded "and back" rdma dev set other0 name "$DEV"
	end_holders
	nothing_left "renames"
}

test_netns_shared() {
	ip netns add life
	bounded "shared: ibv_devices in a namespace sees the device" \
		ip netns exec life sh -c "ibv_devices | grep -q $DEV"
	refused "shared: a device is not moved" rdma dev set "$DEV" netns life
	ip netns del life
}

test_netns_exclusive() {
	rdma link delete "$DEV"
	bounded "the mode is changed where no other namespace is" rdma system set netns exclusive
	kv_link "$DRIVER" life0
	ip netns add life
	bounded "exclusive: a namespace of its own sees no device" \
		ip netns exec life sh -c "! ibv_devices | grep -q $DEV"
	if lets_go; then
		hold
		bounded "exclusive: the device moves under a program" rdma dev set "$DEV" netns life
		bounded "exclusive: it is there" ip netns exec life rdma dev show "$DEV"
		refused "exclusive: and no longer here" rdma dev show "$DEV"
		end_holders
	else
		refused "exclusive: a device that cannot let go stays" rdma dev set "$DEV" netns life
	fi
	ip netns del life
	sleep 0.5
	bounded "exclusive: after the namespace's end it is here" rdma dev show "$DEV"
	rdma link delete "$DEV"
	bounded "back to shared" rdma system set netns shared
	kv_link "$DRIVER" life0
}

# The driver's module goes under a kernel client that keeps the device busy.
test_kernel_client() {
	if [ ! -f "$KV_OURS/core_consumer.ko" ]; then
		echo "ok - a kernel client # SKIP core_consumer.ko was not built"
		return
	fi
	insmod "$KV_OURS/core_consumer.ko" stay=1
	tap_result $? "a kernel client keeps the device busy"
	sleep 0.5
	bounded "the driver's module goes under it" rmmod "$(module_of)"
	bounded "and so does its netdev" ip link del life0
	kv_load_driver "$DRIVER" && make_device
	tap_result $? "both come back, to the same client"
	sleep 0.5
	bounded "the client goes" rmmod core_consumer
	dmesg | grep -q "core_consumer: left $DEV after [1-9]"
	tap_result $? "it had worked"
	nothing_left "a kernel client"
}

# netns_link: DRIVER9 on a netdev of a namespace's own.
netns_link() {
	ip netns add life && ip link add life1 netns life type dummy &&
		ip -n life addr add 10.79.1.1/24 dev life1 && ip -n life link set life1 up &&
		ip netns exec life rdma link add "${DRIVER}9" type "$DRIVER" netdev life1
	tap_result $? "a link in a namespace"
}

# Namespaces end behind the back of who deletes them.
netns_gone() {
	local tries
	for tries in $(seq $((LIMIT * 10))); do
		[ -e "/sys/class/infiniband/${DRIVER}9" ] || break
		sleep 0.1
	done
	[ ! -e "/sys/class/infiniband/${DRIVER}9" ]
	tap_result $? "$1: its device goes with it"
}

# A namespace that ends takes netdev and link with it: unused, under a program elsewhere, and when
# the program in it that kept it is killed.
test_netns_death() {
	netns_link
	bounded "the namespace ends" ip netns del life
	netns_gone "a namespace"
	netns_link
	KV_DEV=${DRIVER}9 removal "the end of a namespace" ip netns del life
	netns_gone "a namespace under a program"
	netns_link
	KV_DEV=${DRIVER}9 hold ip netns exec life
	tap_result $? "a program in the namespace"
	bounded "the namespace loses its name" ip netns del life
	sleep 0.5
	[ -e "/sys/class/infiniband/${DRIVER}9" ]
	tap_result $? "the program keeps it"
	end_holders
	netns_gone "a namespace whose last program is killed"
	nothing_left "namespaces"
}

test_cgroup() {
	local cg=/sys/fs/cgroup/life
	echo +rdma >/sys/fs/cgroup/cgroup.subtree_control 2>/dev/null
	mkdir -p "$cg"
	if [ ! -f "$cg/rdma.max" ]; then
		echo "ok - # SKIP no rdma cgroup controller"
		return
	fi
	echo "$DEV hca_handle=2 hca_object=10" >"$cg/rdma.max"
	in_cgroup() { sh -c "echo \$\$ >$cg/cgroup.procs; exec \"\$@\"" sh "$@"; }
	# fixture: one PD and one MR; the rest of ten are PDs.
	[ "$(in_cgroup "$HOLD" limit)" = "8 PDs, errno 11" ]
	tap_result $? "cgroup: rdma.max holds: EAGAIN after 10 objects"
	grep -q "$DEV hca_handle=0 hca_object=0" "$cg/rdma.current" ||
		! grep -q "$DEV" "$cg/rdma.current"
	tap_result $? "cgroup: rdma.current is zero afterwards"
	echo "$DEV hca_handle=0" >"$cg/rdma.max"
	! in_cgroup "$HOLD" limit >/dev/null 2>&1
	tap_result $? "cgroup: without a handle no context"
	echo "$DEV hca_handle=max hca_object=max" >"$cg/rdma.max"
	hold sh -c "echo \$\$ >$cg/cgroup.procs; exec \"\$@\"" sh
	grep -q "$DEV hca_handle=1 hca_object=[1-9]" "$cg/rdma.current"
	tap_result $? "cgroup: a program's objects are counted"
	end_holders
	sleep 0.2
	! grep -q "$DEV hca_handle=[1-9]" "$cg/rdma.current"
	tap_result $? "cgroup: and given back when it is killed"
	rmdir "$cg"
}

# Root of a user namespace of its own is nobody here.
test_userns() {
	local name
	chmod 666 /dev/infiniband/* 2>/dev/null
	for name in raw qkey; do
		[ "$(unshare -Urn "$HOLD" "$name" 2>&1)" = 1 ]
		tap_result $? "user namespace: $name is EPERM"
	done
	refused "user namespace: no link is added" unshare -Ur rdma link add x0 type "$DRIVER" netdev life0
	refused "user namespace: no link is deleted" unshare -Ur rdma link delete "$DEV"
	refused "user namespace: no device is renamed" unshare -Ur rdma dev set "$DEV" name x0
	bounded "user namespace: but devices are shown" unshare -Ur rdma dev show "$DEV"
}

life() {
	export DRIVER=$1 DEV=${1}0 KV_DEV=${1}0
	[ "$DRIVER" = shca ] && kv_use_lib shim || kv_use_lib stock
	test_modules
	kv_load_driver "$DRIVER" && make_device
	tap_result $? "a device"
	baseline="$(objects) $(pinned)"
	test_kills
	test_busy_module
	test_removals
	test_rename
	test_netns_shared
	test_netns_exclusive
	test_netns_death
	test_kernel_client
	test_cgroup
	test_userns
	nothing_left "everything"
	end_device "the end"
	bounded "the driver's module goes" rmmod "$(module_of)"
}

mkdir -p /run/netns
test_core_modules
for driver in ${KV_LIFE:?}; do
	life "$driver" | sed -uE "s/^(ok|not ok) - /\1 - $driver: /"
done
