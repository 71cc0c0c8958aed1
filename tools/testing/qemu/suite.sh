#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# suite.sh SCRIPT...: runs in a guest: the named scripts of this folder one after the
# other, as the lists of tests/configs ask. Their TAP goes to the host, which
# counts it; only a script that dies makes this one fail.

here=${KV_TREE:?}/tools/testing/qemu
. "$KV_TREE/tools/testing/tap.sh"
for script in "$@"; do
	echo "# $script on core=$KV_CORE driver=$KV_DRIVER lib=$KV_LIB"
	case $script in
	selftests.sh) "$here/$script" ;; # each program there is guarded on its own
	*) tap_run "${script%.sh}" "$((400 * ${KV_SLOW:-1}))" "$here/$script" ;;
	esac
done
