#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Runs in the far guest of a pair: makes the link and does what the near one asks for. With
# KV_DEV in the environment of what it is asked to run.

. "${KV_TREE:?}/tools/testing/qemu/guest-lib.sh"
. "$KV_TREE/tools/testing/qemu/wire.sh"

wire_up 2 || exit
kv_use_lib "$KV_LIB"
export KV_DEV WIRE_GID WIRE_NETDEV
exec "$KV_TREE/tools/testing/qemu/far.py" serve "$WIRE_FAR"
