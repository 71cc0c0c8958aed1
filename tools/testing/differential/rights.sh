#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Runs in a guest: what root of a user namespace and an ordinary user may do and see, and what the
# rdma controller of a cgroup stops and counts, as programs say it (say.sh).

. "$(dirname "$0")/say.sh"
NETDEV=dummy0
OUTER=/sys/fs/cgroup/outer
INNER=$OUTER/inner

# Objects of others are there to be seen, their keys are not.
strangers() {
	local who what
	chmod 666 /dev/infiniband/uverbs0
	for who in "unshare -Ur" "unshare -Urn" "setpriv --reuid 65534 --clear-groups"; do
		for what in "-d resource show qp" "-d resource show mr dev $KV_DEV" \
			"-d resource show pd dev $KV_DEV" "-d resource show ctx dev $KV_DEV" "dev show" \
			"statistic show link $KV_DEV/1" "link add user0 type $KV_DRIVER netdev $NETDEV" \
			"link delete $KV_DEV" "dev set $KV_DEV name user0" \
			"dev set $KV_DEV adaptive-moderation off" "dev set $KV_DEV netns nowhere" \
			"system set netns exclusive" "statistic qp set link $KV_DEV/1 auto type on" \
			"statistic qp bind link $KV_DEV/1 lqpn 17"; do
			say $who rdma $what
		done
		for what in "$HOLD raw" "$HOLD qkey" ibv_devices "ibv_devinfo -d $KV_DEV"; do
			say $who $what
		done
	done
	say "$HOLD" raw
	say "$HOLD" qkey
	chmod 600 /dev/infiniband/uverbs0
	say setpriv --reuid 65534 --clear-groups ibv_devinfo -d "$KV_DEV"
	chmod 666 /dev/infiniband/uverbs0
}

# inside COMMAND...: a program or a function of this shell, charged to the inner group.
inside() (
	echo "$BASHPID" >"$INNER/cgroup.procs"
	"$@"
)

counts() {
	say cat "$OUTER/rdma.current" "$INNER/rdma.current"
}

# How limits are written, and how not.
words() {
	local limit
	for limit in "$KV_DEV hca_handle=2 hca_object=10" "$KV_DEV hca_object=-1" \
		"$KV_DEV hca_pony=1" "$KV_DEV hca_handle" "nobody hca_handle=1" "$KV_DEV" \
		"$KV_DEV hca_object=max"; do
		say bash -c "echo '$limit' >$INNER/rdma.max"
		say cat "$INNER/rdma.max"
	done
	say bash -c "echo '$KV_DEV hca_handle=max hca_object=max' >$INNER/rdma.max"
}

# limits GROUP: they stop who is in it or below it.
limits() {
	local limit
	for limit in "hca_handle=0" "hca_handle=1 hca_object=0" "hca_object=3"; do
		echo "$KV_DEV $limit" >"$1/rdma.max"
		inside say "$HOLD" limit
		counts
	done
	echo "$KV_DEV hca_handle=max hca_object=max" >"$1/rdma.max"
}

# What is charged for which object: a limit of one more each time, then all of them.
charges() {
	local objects
	for objects in $(seq 10); do
		echo "$KV_DEV hca_handle=max hca_object=$objects" >"$INNER/rdma.max"
		inside say "$HOLD" 1
	done
	echo "$KV_DEV hca_handle=max hca_object=max" >"$INNER/rdma.max"
	inside inside_held
	counts
}

inside_held() {
	holding 300
	counts
	holding_ends
	for _ in $(seq 100); do
		grep -q '=[1-9]' "$OUTER/rdma.current" || break
		sleep 0.1
	done
}

holding 300
kill -STOP "$holder"
strangers
holding_ends
# Who hands a controller on has no programs of its own.
mkdir -p "$OUTER"
echo +rdma >/sys/fs/cgroup/cgroup.subtree_control
echo +rdma >"$OUTER/cgroup.subtree_control"
mkdir "$INNER"
say cat "$OUTER/rdma.max" "$INNER/rdma.max"
counts
words
limits "$INNER"
limits "$OUTER"
charges
rmdir "$INNER" "$OUTER"
