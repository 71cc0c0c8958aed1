#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# The measuring itself, inside the guest. Appends rows to /results/raw.tsv:
# device, mode (poll, event, limit, churn), what, size, value, unit.

. "${KV_TREE:?}/tools/testing/qemu/guest-lib.sh"
. "$KV_TREE/tools/testing/qemu/pair.sh"
RAW=/results/raw.tsv
failed=0

row() {
	local IFS=$'\t'
	echo "$*" >>"$RAW"
	printf '%-5s %-6s %-11s %8s %12s %s\n' "$@"
}

# iterations DEVICE SIZE SECONDS-WORTH: about a second of each device's pace.
iterations() {
	local rate=45000 bandwidth=55000000 n most=20000
	[ "$1" = rxe0 ] || { rate=400000 bandwidth=1500000000 most=200000; }
	n=$((bandwidth / $2))
	[ "$n" -lt "$rate" ] || n=$rate
	[ "$n" -lt "$most" ] || n=$most
	[ "$n" -gt 20 ] || n=20
	echo "$n"
}

use_device() {
	case $1 in
	shca0) kv_use_lib shim ;;
	*) kv_use_lib stock ;;
	esac
	gid=$(kv_gid "$1")
}

# measure DEVICE MODE PROGRAM SIZE ITERATIONS [OPTIONS]
measure() {
	local dev=$1 mode=$2 program=$3 size=$4 n=$5 what=${3#ib_}
	shift 5
	if ! pair_run 60 "$program" -d "$dev" -x "$gid" -F -s "$size" -n "$n" "$@"; then
		echo "$dev $program $size B: failed"
		tail -n 3 "$PAIR_DIR/client"
		failed=1
		return
	fi
	case $program in
	*_lat) row "$dev" "$mode" "$what" "$size" "$(pair_row 5)" us ;;
	*_bw)
		row "$dev" "$mode" "$what" "$size" "$(pair_row 4)" MB/s
		[ "$size" != 64 ] || row "$dev" "$mode" "${what%_bw}_rate" 64 "$(pair_row 5)" Mmsg/s
		;;
	esac
}

measure_polling() {
	local dev=$1 verb size
	for size in $BW_SIZES; do
		for verb in write read send; do
			measure "$dev" poll "ib_${verb}_bw" "$size" "$(iterations "$dev" "$size")"
		done
	done
	for size in $LAT_SIZES; do
		for verb in write read send; do
			measure "$dev" poll "ib_${verb}_lat" "$size" 2000
		done
	done
}

measure_events() {
	local dev=$1 size
	for size in 64 65536; do
		measure "$dev" event ib_send_bw "$size" "$(($(iterations "$dev" "$size") / 4 + 20))" -e
	done
	measure "$dev" event ib_send_lat 8 500 -e
	measure "$dev" event ib_read_lat 8 500 -e
}

measure_churn() {
	local dev=$1 line word n unit
	# Twice the same number: the second one's leftovers are leaks, caches being warm.
	timeout 240 "$KV_BUILD/bench/qp_churn" "$dev" "$gid" $CHURN >/tmp/churn 2>&1 || {
		echo "$dev qp_churn failed"
		tail -n 3 /tmp/churn
		failed=1
	}
	while read -r line; do
		n=${line%% *} n=${n#n=}
		for word in ${line#* }; do
			case $word in *_us=*) unit=us ;; *) unit=bytes ;; esac
			row "$dev" churn "${word%%=*}" "$n" "${word#*=}" "$unit"
		done
	done <<<"$(grep '^n=' /tmp/churn)"
}

measure_limits() {
	local what size value unit
	while read -r what size value unit; do
		row cpu limit "$what" "$size" "$value" "$unit"
	done < <("$KV_BUILD/bench/limits")
}

BW_SIZES='8 64 512 4096 65536 1048576' LAT_SIZES='8 64 4096 65536' CHURN='100 1000 10000 10000'
[ "${BENCH:-full}" != quick ] || BW_SIZES='64 65536 1048576' LAT_SIZES='8' CHURN='100 1000'
: >"$RAW"
measure_limits
for dev in rxe0 shca0; do
	[ -d "/sys/class/infiniband/$dev" ] || continue
	use_device "$dev"
	measure_polling "$dev"
	measure_events "$dev"
	measure_churn "$dev"
done
exit "$failed"
