#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Runs in the near guest of a pair, at each of its drivers: Debian's programs in both roles.

exec "${KV_TREE:?}/tools/testing/qemu/wire-programs.sh" ${KV_LISTS:-basic}
