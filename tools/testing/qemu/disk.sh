#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Runs in a guest with the stock core: an NVMe disk over fabrics on $KV_DEV, whose both ends,
# nvmet-rdma and nvme-rdma, are strangers in the kernel.

. "${KV_TREE:?}/tools/testing/qemu/cm-lib.sh"
. "$KV_TREE/tools/testing/qemu/disk-lib.sh"

cm_begin || exit 1
disk_export >/tmp/out 2>&1
result $? 'NVMe over RDMA: export a disk' /tmp/out && on_both_links disk_round
disk_unexport >/tmp/out 2>&1
result $? 'NVMe over RDMA: the export ends' /tmp/out
rmmod nvme_rdma nvmet_rdma nvme_fabrics brd
cm_end
