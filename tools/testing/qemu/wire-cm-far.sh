#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# The far end's part of wire-cm.sh, step by step.
#
#   wire-cm-far.sh load|listening PROGRAM|export|unexport|unload

. "${KV_TREE:?}/tools/testing/qemu/wire-cm-lib.sh"
case $1 in
load) cm_load ;;
listening) cm_listening "$2" ;;
export) disk_export ;;
unexport) disk_unexport && rmmod nvmet_rdma brd ;;
unload) cm_unload ;;
esac
