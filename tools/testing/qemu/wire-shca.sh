#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Runs in a guest: our driver at both ends of the wire, on good and on bad days of the network.

here=${KV_TREE:?}/tools/testing/qemu
export KV_WIRE_FAR=shca
exec "$here/wire-local.sh" "$here/wire-programs.sh" captured xrc basic ipv6 faults
