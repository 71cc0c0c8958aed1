#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Runs in a guest: what stock programs say of the device while a program holds one object of each
# kind, in text and JSON (say.sh tells how it is written). compare replaces numbers of processes, QPs
# and keys by their names. Then what udev and its rules make of a device that comes,
# and what another network namespace sees of it.

. "$(dirname "$0")/say.sh"
NETDEV=dummy0

holding 900

echo "@@ hold"
cat /tmp/hold
echo "@= 0"
# Its traffic has shown that it is complete; from here on numbers stand still.
kill -STOP "$holder"
for how in "" -d "-j -p -d"; do
	for what in "dev show" "dev show $KV_DEV" "dev show nobody" "link show" "link show $KV_DEV/1" \
		"link show $KV_DEV/2" "resource show" "resource show $KV_DEV" "resource show pd" \
		"resource show pd dev $KV_DEV" "resource show cq dev $KV_DEV" "resource show qp" \
		"resource show qp link $KV_DEV" "resource show qp link $KV_DEV/1" \
		"resource show qp link $KV_DEV/- type RC" "resource show qp link $KV_DEV/1 state RTS" \
		"resource show mr dev $KV_DEV" "resource show cm_id" "resource show ctx dev $KV_DEV" \
		"resource show srq dev $KV_DEV" "resource show mr mrn 999999" "system show" \
		"system show netns" "system show privileged-qkey" \
		"statistic show" "statistic show link $KV_DEV/1" "statistic qp show" \
		"statistic qp show link $KV_DEV/1" "statistic mode" "statistic qp mode" \
		"statistic show link $KV_DEV/9" "statistic mode supported" "dev show $KV_DEV extra"; do
		say rdma $how $what
	done
done
# Raw answers come from the driver, or not; a filter takes one object of the list.
for what in qp cq mr; do
	say rdma -r resource show $what
done
filtered() {
	local one="rdma -d resource show $1 | grep 'comm hold' | grep -om 1 '\<$2 [0-9a-z]*'"
	say bash -c "rdma -d resource show $1 \$($one)"
}
filtered "pd dev $KV_DEV" pdn
filtered "mr dev $KV_DEV" mrn
filtered "cq dev $KV_DEV" cqn
filtered "ctx dev $KV_DEV" ctxn
filtered "srq dev $KV_DEV" srqn
filtered "qp link $KV_DEV/1" lqpn
filtered "qp link $KV_DEV/1" pid
filtered "mr dev $KV_DEV" pdn
say rdma resource show qp link "$KV_DEV/1" type UD
say rdma resource show qp link "$KV_DEV/1" path-mig-state MIGRATED
say rdma resource show cm_id link "$KV_DEV/1" lqpn 17
say rdma dev set "$KV_DEV" name taken0
say rdma dev set taken0 name "$KV_DEV"
# Too long by one: refused or cut off.
say rdma dev set "$KV_DEV" name "$(printf 'x%.0s' $(seq 64))"
say rdma dev show
rdma dev set "$(printf 'x%.0s' $(seq 63))" name "$KV_DEV" 2>/dev/null
say rdma dev set "$KV_DEV" adaptive-moderation on
say rdma dev set "$KV_DEV" adaptive-moderation off
say rdma dev set "$KV_DEV" netns nowhere
say rdma system set netns sideways
say rdma link add "$KV_DEV" type rxe netdev "$NETDEV"
say rdma link add other type nothing netdev "$NETDEV"
say rdma link add other type rxe netdev nothing
say rdma link delete nobody
say rdma statistic qp set link "$KV_DEV/1" auto type on
say rdma statistic qp set link "$KV_DEV/1" auto pid on
say rdma statistic qp set link "$KV_DEV/1" auto off
say rdma statistic qp show link "$KV_DEV/1" lqpn 17
say rdma statistic mr show
say rdma statistic unset link "$KV_DEV/1" optional-counters
say rdma statistic qp bind link "$KV_DEV/1" lqpn 17
say rdma statistic qp unbind link "$KV_DEV/1" cntn 4
say rdma statistic set link "$KV_DEV/1" optional-counters x
say ibv_devices
say ibv_devinfo
say ibv_devinfo -v -d "$KV_DEV"
say ibv_devinfo -l
say ibv_devinfo -d "$KV_DEV" -i 2
say bash -c "find /sys/class/infiniband/$KV_DEV/ /sys/class/infiniband_verbs/ -maxdepth 5 \
	! -regex '.*/\(gids\|types\|ndevs\)/[0-9]+' -printf '%p %m %y\n' | sort"
shopt -s globstar nullglob
for file in "/sys/class/infiniband/$KV_DEV"/* "/sys/class/infiniband/$KV_DEV"/ports/1/** \
	/sys/class/infiniband_verbs/* /sys/class/infiniband_verbs/uverbs0/*; do
	case $file in
	*/hw_counters/* | */uevent | */power/* | */gids/???* | */types/???* | */ndevs/???*) continue ;;
	esac
	[ -f "$file" ] && [ -r "$file" ] || continue
	echo "@@ $file"
	text=
	read -r -d '' text <"$file" 2>&1
	printf '%s\n' "$text"
	echo "@= 0"
done
holding_ends
say rdma resource show "$KV_DEV"
(ibv_asyncwatch -d "$KV_DEV" >/tmp/events 2>&1 & watcher=$!
	for _ in $(seq 50); do grep -q FD /tmp/events && break; sleep 0.1; done
	ip link set "$NETDEV" down; ip link set "$NETDEV" up; sleep 1; kill "$watcher")
ip addr add 10.77.0.1/24 dev "$NETDEV" 2>/dev/null
ip -6 addr add fd77:0::1/64 dev "$NETDEV" nodad 2>/dev/null
# What happens to GIDs and to the port is told by different workers: their order is nobody's promise.
say sort /tmp/events

# A rule that gives a name, beside those of rdma-core.
mkdir -p /run/udev/rules.d
echo 'ACTION=="add", SUBSYSTEM=="infiniband", PROGRAM="rdma_rename %k NAME_FIXED named0"' \
	>/run/udev/rules.d/60-rdma-persistent-naming.rules
/lib/systemd/systemd-udevd --daemon
udevadm monitor --kernel --subsystem-match=infiniband --subsystem-match=infiniband_verbs \
	>/tmp/monitor 2>&1 &
monitor=$!
for _ in $(seq 50); do grep -q KERNEL /tmp/monitor && break; sleep 0.1; done
say rdma link delete "$KV_DEV"
say rdma link add "$KV_DEV" type "$KV_DRIVER" netdev "$NETDEV"
say udevadm settle --timeout=20
kill "$monitor"
say sed -n 's/^KERNEL\[[0-9.]*\]//p' /tmp/monitor
say rdma dev show
for class in infiniband/named0 infiniband_verbs/uverbs0; do
	say bash -c "udevadm info -q property -p /sys/class/$class | grep -v USEC_INITIALIZED"
	say cat "/sys/class/$class/uevent"
done
say stat -c '%n %F %a %u %g %t' /dev/infiniband/uverbs0 /dev/infiniband
say ibv_devices
udevadm control --exit
rm /run/udev/rules.d/60-rdma-persistent-naming.rules
say rdma dev set named0 name "$KV_DEV"

# A container: a namespace of its own, in both modes of sharing.
inner="ip netns exec inner"
ip netns attach outer $$
for mode in shared exclusive; do
	say rdma system set netns $mode
	ip netns add inner
	say rdma system show
	for command in "rdma dev show" "rdma link show" "rdma resource show" ibv_devices \
		"ibv_devinfo -d $KV_DEV" "ls /sys/class/infiniband /sys/class/infiniband_verbs" \
		"rdma dev set $KV_DEV name mine0"; do
		say $inner $command
	done
	rdma dev set mine0 name "$KV_DEV" 2>/dev/null
	say rdma dev set "$KV_DEV" netns inner
	say rdma dev show
	say $inner rdma dev show
	say $inner ibv_devices
	say ibv_devices
	say $inner rdma dev set "$KV_DEV" netns outer
	say rdma dev set "$KV_DEV" netns inner
	ip netns delete inner
	for _ in $(seq 50); do rdma dev show | grep -q "$KV_DEV" && break; sleep 0.1; done
	say rdma dev show
	say rdma link show
done
say rdma system set netns shared
say rdma system show
