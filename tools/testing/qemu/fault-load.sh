#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Runs in a guest with a debug kernel and nothing loaded: each of our modules is loaded with each of
# the failures that its initialisation can meet. Prints TAP.

. "${KV_TREE:?}/tools/testing/qemu/guest-lib.sh"

# What they depend on beside one another; the files where reading them allocates nothing.
files=()
for name in ib_core ib_uverbs shca; do
	for dep in $(modinfo -F depends "$KV_OURS/$name.ko" | tr ',' ' '); do
		case " $KV_RDMA_MODULES " in *" $dep "*) ;; *) modprobe "$dep" || exit 1 ;; esac
	done
	cp "$KV_OURS/$name.ko" /dev/shm/ || exit 1
	files+=("/dev/shm/$name.ko")
done
"$KV_BUILD/selftests/fault_load" "${files[@]}"
