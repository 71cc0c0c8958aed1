# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# An NVMe disk over RDMA: exported at $ADDRESS, connected to, used as a file system. Sourced after
# cm-lib.sh, in a guest with the stock core.

SUBSYSTEM=nqn.2026-01.org.example:disk
NVMET=/sys/kernel/config/nvmet

disk_export() {
	local sub=$NVMET/subsystems/$SUBSYSTEM port=$NVMET/ports/1
	modprobe nvmet-rdma && modprobe brd rd_nr=1 rd_size=65536 || return
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
	modprobe nvme-rdma || return
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

disk_round() {
	local on=$1
	disk_connect >/tmp/out 2>&1
	result $? "NVMe over RDMA: connect, $on" /tmp/out || { dmesg | tail -n 5 | sed 's/^/# /'; return; }
	timeout $((3 * LIMIT)) bash -c "$(declare -f disk_use); disk=$disk; disk_use" >/tmp/out 2>&1
	result $? "NVMe over RDMA: make a file system, write, read back, check it, $on" /tmp/out
	disk_disconnect >/tmp/out 2>&1
	result $? "NVMe over RDMA: disconnect, $on" /tmp/out
}
