#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Runs in the near guest of a pair, at each of its drivers: Debian's programs in both roles; where
# both ends have the stock core, its connection manager.

here=${KV_TREE:?}/tools/testing/qemu
[ "$KV_CORE" != stock ] || exec "$here/wire-cm.sh"
lists='captured short'
[ -z "${KV_WHOLE:-}" ] || lists='captured basic sizes mtu ipv6 xrc faults'
exec "$here/wire-programs.sh" ${KV_LISTS:-$lists}
