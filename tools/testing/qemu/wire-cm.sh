#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Runs in the near guest of a pair whose ends both have the stock core: Debian's connection manager
# and what stands on it, between two hosts: programs in both roles; a disk of the far end. Prints
# TAP.

. "${KV_TREE:?}/tools/testing/qemu/wire-cm-lib.sh"
FAR_STEP=$KV_TREE/tools/testing/qemu/wire-cm-far.sh
LIMIT=$((60 * ${KV_SLOW:-1}))

# One program a line: options of both | of the server | of the client, who also needs an address.
PROGRAMS='
rping -C 20 -V -S 4096|-s -a %|-c -a %
ucmatose -c 2 -C 8||-s %
udaddy -c 2 -C 8||-s %
ib_write_bw -R -F -s 65536 -n 50||%
ib_send_lat -R -F -s 64 -n 50||%
'

# as_client SERVER -- CLIENT: the far end serves; as_server: this one does.
as_client() {
	local server=$1 client=$2 status=0
	# shellcheck disable=SC2086
	far start 0 timeout "$LIMIT" $server && far run "$FAR_STEP" listening "${server%% *}" || return
	# shellcheck disable=SC2086
	timeout "$LIMIT" $client || status=$?
	far wait "$([ "$status" = 0 ] && echo "$LIMIT" || echo 2)" || status=$((status + 1000 * $?))
	return "$status"
}

as_server() {
	local server=$1 client=$2 pid status=0
	# shellcheck disable=SC2086
	timeout "$LIMIT" $server &
	pid=$!
	# shellcheck disable=SC2086
	cm_listening "${server%% *}" && far run timeout "$LIMIT" $client || status=$?
	[ "$status" = 0 ] || kill "$pid"
	wait "$pid" || status=$((status + 1000 * $?))
	return "$status"
}

programs() {
	local role=$1 address=$2 common server client
	while IFS='|' read -r common server client; do
		[ -n "$common" ] || continue
		"as_$role" "$common ${server//%/$address}" "$common ${client//%/$address}" >/tmp/out 2>&1
		result $? "${common%% *} between two hosts, as $role" /tmp/out
	done <<<"$PROGRAMS"
}

disk() {
	far run "$FAR_STEP" export >/tmp/out 2>&1
	result $? 'NVMe over RDMA: the far end exports a disk' /tmp/out || return
	disk_connect >/tmp/out 2>&1
	result $? 'NVMe over RDMA: connect' /tmp/out &&
		timeout $((3 * LIMIT)) bash -c "$(declare -f disk_use); disk=$disk; disk_use" >/tmp/out 2>&1
	result $? 'NVMe over RDMA: make a file system, write, read back, check it' /tmp/out
	disk_disconnect >/tmp/out 2>&1
	result $? 'NVMe over RDMA: disconnect' /tmp/out
	far run "$FAR_STEP" unexport >/tmp/out 2>&1
	result $? 'NVMe over RDMA: the export ends' /tmp/out
	rmmod nvme_rdma nvme_fabrics
}

cm_begin || exit 1
far run "$FAR_STEP" load >/tmp/out 2>&1
result $? 'and at the far end' /tmp/out || exit 1
programs client "$WIRE_FAR"
programs server "$WIRE_NEAR"
disk
far run "$FAR_STEP" unload >/tmp/out 2>&1
result $? 'the far end unloads it' /tmp/out
cm_end
