#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Runs in a guest with a debug kernel: the fuzzer of tools/testing/kcov for $KV_FUZZ_SECONDS. What it
# reached goes to /results, where tools/testing/kcov/report on the host makes a table of it.

cd "${KV_TREE:?}" || exit 1
"$KV_BUILD/kcov/fuzz" --results /results --seconds "${KV_FUZZ_SECONDS:-60}" \
	${KV_FUZZ_SEED:+--seed "$KV_FUZZ_SEED"} ${KV_FUZZ_TAPE:+--tape "$KV_FUZZ_TAPE"}
