#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Runs in a guest with the stock core: Debian's own connection manager over $KV_DEV, programs
# of librdmacm on it; with KV_CM=nvme (or all) an NVMe disk over fabrics, whose both ends are
# strangers in the kernel. Everything once on the link that the driver chooses, and once on
# the forced wire.

. "${KV_TREE:?}/tools/testing/qemu/guest-lib.sh"

ADDRESS=10.77.0.1
LIMIT=$((30 * ${KV_SLOW:-1}))
SUBSYSTEM=nqn.2026-01.org.example:disk
NVMET=/sys/kernel/config/nvmet
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

load() {
	local file
	for file in core/ib_cm core/iw_cm core/rdma_cm core/rdma_ucm; do
		kv_insmod "$KV_STOCK/$file.ko" || return
	done
}

# both NAME SERVER -- CLIENT: the server must be there, then both must end well.
both() {
	local name=$1 server=() pid status=0
	shift
	while [ "$1" != -- ]; do server+=("$1"); shift; done
	shift
	timeout "$LIMIT" "${server[@]}" >/tmp/server 2>&1 &
	pid=$!
	sleep $((3 * ${KV_SLOW:-1}))
	timeout "$LIMIT" "$@" >/tmp/client 2>&1 || status=$?
	wait "$pid" || status=$((status + 1000 * $?))
	cat /tmp/server >>/tmp/client
	result "$status" "$name" /tmp/client
}

programs() {
	local on=$1
	both "rping, $on" rping -s -a "$ADDRESS" -C 20 -V -S 4096 -- \
		rping -c -a "$ADDRESS" -C 20 -V -S 4096
	both "ucmatose, $on" ucmatose -c 4 -C 8 -- ucmatose -s "$ADDRESS" -c 4 -C 8
	both "udaddy, $on" udaddy -c 2 -C 8 -- udaddy -s "$ADDRESS" -c 2 -C 8
	both "ib_write_bw -R, $on" ib_write_bw -R -d "$KV_DEV" -s 65536 -n 50 -- \
		ib_write_bw -R -d "$KV_DEV" -s 65536 -n 50 "$ADDRESS"
	both "ib_send_lat -R, $on" ib_send_lat -R -d "$KV_DEV" -s 64 -n 50 -- \
		ib_send_lat -R -d "$KV_DEV" -s 64 -n 50 "$ADDRESS"
}

disk_export() {
	local sub=$NVMET/subsystems/$SUBSYSTEM port=$NVMET/ports/1
	modprobe nvmet-rdma && modprobe nvme-rdma && modprobe brd rd_nr=1 rd_size=65536 || return
	mountpoint -q /sys/kernel/config || mount -t configfs configfs /sys/kernel/config || return
	mkdir "$sub" "$sub/namespaces/1" "$port" || return
	echo 1 >"$sub/attr_allow_any_host"
	echo /dev/ram0 >"$sub/namespaces/1/device_path"
	echo 1 >"$sub/namespaces/1/enable" || return
	echo rdma >"$port/addr_trtype"
	echo ipv4 >"$port/addr_adrfam"
	echo "$ADDRESS" >"$port/addr_traddr"
	echo 4420 >"$port/addr_trsvcid"
	ln -s "$sub" "$port/subsystems/"
}

disk_connect() {
	local tries
	echo "transport=rdma,traddr=$ADDRESS,trsvcid=4420,nqn=$SUBSYSTEM,nr_io_queues=2" \
		>/dev/nvme-fabrics || return
	for tries in 1 2 3 4 5 6 7 8 9 10; do
		disk=$(ls -d /dev/nvme[0-9]*n1 2>/dev/null) &&
			[ "$(cat "/sys/block/${disk##*/}/size")" != 0 ] && return
		sleep "$((tries > 5 ? 2 : 1))"
	done
	return 1
}

disk_use() {
	mkdir -p /tmp/mnt
	head -c 8000000 /dev/urandom >/tmp/content
	mkfs.ext4 -q -F "$disk" && mount "$disk" /tmp/mnt && cp /tmp/content /tmp/mnt/a &&
		umount /tmp/mnt && echo 3 >/proc/sys/vm/drop_caches && mount "$disk" /tmp/mnt &&
		cmp /tmp/content /tmp/mnt/a && umount /tmp/mnt && e2fsck -fn "$disk"
}

disk_disconnect() {
	local ctl
	for ctl in /sys/class/nvme/nvme*; do
		timeout "$LIMIT" sh -c "echo 1 >$ctl/delete_controller" || return
	done
}

disk_unexport() {
	rm "$NVMET/ports/1/subsystems/$SUBSYSTEM" && rmdir "$NVMET/ports/1" &&
		rmdir "$NVMET/subsystems/$SUBSYSTEM/namespaces/1" "$NVMET/subsystems/$SUBSYSTEM"
}

nvme_round() {
	local on=$1
	disk_connect >/tmp/out 2>&1
	result $? "NVMe over RDMA: connect, $on" /tmp/out || { dmesg | tail -n 5 | sed 's/^/# /'; return; }
	timeout $((3 * LIMIT)) bash -c "$(declare -f disk_use); disk=$disk; disk_use" >/tmp/out 2>&1
	result $? "NVMe over RDMA: make a file system, write, read back, check it, $on" /tmp/out
	disk_disconnect >/tmp/out 2>&1
	result $? "NVMe over RDMA: disconnect, $on" /tmp/out
}

nvme() {
	disk_export >/tmp/out 2>&1
	result $? 'NVMe over RDMA: export a disk' /tmp/out || return
	nvme_round 'direct link'
	echo 1 >/sys/module/shca/parameters/force_wire
	nvme_round 'forced wire'
	echo 0 >/sys/module/shca/parameters/force_wire
	disk_unexport >/tmp/out 2>&1
	result $? 'NVMe over RDMA: the export ends' /tmp/out
	rmmod nvme_rdma nvmet_rdma nvme_fabrics brd
}

load >/tmp/out 2>&1
result $? "Debian's ib_cm, rdma_cm and rdma_ucm load over $KV_DEV" /tmp/out || exit 1
case ${KV_CM:-programs} in
*programs* | all)
	programs 'direct link'
	echo 1 >/sys/module/shca/parameters/force_wire
	programs 'forced wire'
	echo 0 >/sys/module/shca/parameters/force_wire
	;;
esac
case ${KV_CM:-programs} in *nvme* | all) nvme ;; esac
rmmod rdma_ucm && rmmod rdma_cm && rmmod iw_cm && rmmod ib_cm
result $? 'they can go again'
echo "1..$number"
