#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Runs in a guest with the stock core: NFS over RDMA on $KV_DEV, whose both ends, nfsd with svcrdma
# and nfs with xprtrdma, are strangers in the kernel. No program of nfs-utils is needed: what
# mountd would answer is written into nfsd's caches before anybody asks.

. "${KV_TREE:?}/tools/testing/qemu/cm-lib.sh"

PORT=20049
EXPORT=/run/export MOUNT=/run/mount
NFSD=/proc/fs/nfsd
FOREVER=2147483647
# From <linux/nfsd/export.h>: insecure port, asynchronous, no subtree check, has an fsid.
FLAGS=$((0x2 | 0x10 | 0x400 | 0x2000))

cache() {
	echo "$2" >"/proc/net/rpc/$1/channel"
}

serve() {
	modprobe nfsd && modprobe rpcrdma && modprobe nfsv4 || return
	mountpoint -q "$NFSD" || mount -t nfsd nfsd "$NFSD" || return
	mkdir -p "$EXPORT" "$MOUNT" && mount -t tmpfs tmpfs "$EXPORT" || return
	cache auth.unix.ip "nfsd $ADDRESS $FOREVER everybody" &&
		cache nfsd.export "everybody $EXPORT $FOREVER $FLAGS 65534 65534 0" &&
		cache nfsd.fh "everybody 1 \\x00000000 $FOREVER $EXPORT" || return
	# Versions 2 and 3 would be told to a port mapper, which is not there.
	echo "-2 -3 +4 +4.1 +4.2" >"$NFSD/versions"
	echo 10 >"$NFSD/nfsv4leasetime" && echo 10 >"$NFSD/nfsv4gracetime" &&
		echo "rdma $PORT" >"$NFSD/portlist" && echo 2 >"$NFSD/threads"
}

attach() {
	mount -i -t nfs4 -o "vers=4.1,proto=rdma,port=$PORT,addr=$ADDRESS,clientaddr=$ADDRESS" \
		"$ADDRESS:/" "$MOUNT"
}

# Small requests go inline, large ones as chunks that the server reads and writes by RDMA.
use() {
	head -c 8000000 /dev/urandom >/tmp/content
	echo short >"$MOUNT/small" && cp /tmp/content "$MOUNT/large" || return
	cmp /tmp/content "$EXPORT/large" && grep -q short "$EXPORT/small" || return
	umount "$MOUNT" && attach && cmp /tmp/content "$MOUNT/large" &&
		grep -q short "$MOUNT/small" && rm "$MOUNT/large" "$MOUNT/small"
}

over_rdma() {
	grep -q "$MOUNT nfs4 .*proto=rdma" /proc/mounts
}

# bounded COMMAND: a function of this script, in a shell of its own that can be ended.
bounded() {
	export -f attach use
	export ADDRESS PORT EXPORT MOUNT
	timeout -k 5 $((3 * LIMIT)) bash -c "$1" >/tmp/out 2>&1
}

nfs_round() {
	local on=$1
	bounded attach && over_rdma
	result $? "NFS over RDMA: mount, $on" /tmp/out || { dmesg | tail -n 5 | sed 's/^/# /'; return; }
	bounded use
	result $? "NFS over RDMA: write, look at the server's, mount anew, read back, $on" /tmp/out
	bounded "umount $MOUNT"
	result $? "NFS over RDMA: unmount, $on" /tmp/out
}

unserve() {
	echo 0 >"$NFSD/threads" && umount "$EXPORT" && umount "$NFSD"
}

cm_begin || exit 1
serve >/tmp/out 2>&1
result $? 'NFS over RDMA: a server' /tmp/out && on_both_links nfs_round
unserve >/tmp/out 2>&1
result $? 'NFS over RDMA: the server ends' /tmp/out
rmmod nfsv4 nfsd rpcrdma
cm_end
