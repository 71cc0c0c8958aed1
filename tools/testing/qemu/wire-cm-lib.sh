# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# What both ends of wire-cm.sh need. Sourced.

. "${KV_TREE:?}/tools/testing/qemu/guest-lib.sh"
. "$KV_TREE/tools/testing/qemu/wire.sh"
. "$KV_TREE/tools/testing/qemu/cm-lib.sh"
. "$KV_TREE/tools/testing/qemu/disk-lib.sh"
ADDRESS=$WIRE_FAR

# cm_listening PROGRAM: waits (at most 20 s) until its rdma_cm listens.
cm_listening() {
	local tries
	for tries in $(seq 100); do
		rdma resource show cm_id | grep -q "state LISTEN .*comm $1 " && return 0
		sleep 0.2
	done
	return 1
}
