#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Runs in a guest: what stock programs say of $KV_DEV goes to /results/programs, then the trace of
# the differential tester to /results/trace. Addresses of the program are not left to chance.

{ "$(dirname "$0")/programs.sh"; "$(dirname "$0")/rights.sh"; } >/results/programs
setarch -R "${KV_BUILD:?}/differential/differential" "$@" >/results/trace
status=$?
echo "differential: $(wc -l </results/trace) lines, status $status"
[ "$status" = 0 ]
