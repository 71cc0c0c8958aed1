#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Runs in a guest: our driver at both ends of the wire, on good and on bad days of the network.
# What good days show is shown between two guests, too, and on one host (tiers P and F).

here=${KV_TREE:?}/tools/testing/qemu
export KV_WIRE_FAR=shca
exec "$here/wire-local.sh" "$here/wire-programs.sh" captured \
	$([ -n "${KV_WHOLE:-}" ] && echo xrc basic ipv6 faults || echo bad-day)
