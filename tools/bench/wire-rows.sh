# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# What is measured of a wire, whatever it connects. Appends to /results/raw.tsv: driver, what,
# value, unit. Sourced by wire-host.sh and wire-pair.sh, which define both_ends PROGRAM OPTIONS...
# and may say in WIRE_LOSSY where packets can be lost; needs pair.sh. WIRE_ONLY: a pattern of rows.

WIRE_RAW=/results/raw.tsv
wire_failed=0

# wire_row DRIVER WHAT COLUMN UNIT PROGRAM OPTIONS...
wire_row() {
	local driver=$1 what=$2 column=$3 unit=$4 value=
	shift 4
	# shellcheck disable=SC2053
	[[ $what == ${WIRE_ONLY:-*} ]] || return 0
	both_ends "$@" -F && value=$(pair_row "$column")
	if [ -n "$value" ]; then
		printf '%s\t%s\t%s\t%s\n' "$driver" "$what" "$value" "$unit" | tee -a "$WIRE_RAW"
	else
		echo "$driver $what: failed"
		tail -n 3 "$PAIR_DIR/client"
		wire_failed=1
	fi
}

# Packets are lost one by one, not by the dozen that segmentation offload makes one of.
wire_lossy_rows() {
	local segments
	[ -n "${WIRE_LOSSY:-}" ] || return 0
	segments=$(ip -d link show dev "$WIRE_LOSSY" | sed -n 's/.*gso_max_segs \([0-9]*\).*/\1/p')
	ip link set "$WIRE_LOSSY" gso_max_segs 1
	tc qdisc add dev "$WIRE_LOSSY" root netem loss 1%
	wire_row "$1" "write 64 KiB, 1% lost" 4 MB/s ib_write_bw -s 65536 -n 100
	tc qdisc del dev "$WIRE_LOSSY" root
	ip link set "$WIRE_LOSSY" gso_max_segs "$segments"
}

wire_rows() {
	wire_row "$1" "write 64 KiB" 4 MB/s ib_write_bw -s 65536 -n 400
	wire_row "$1" "write 1 MiB" 4 MB/s ib_write_bw -s 1048576 -n 40
	wire_row "$1" "read 64 KiB" 4 MB/s ib_read_bw -s 65536 -n 400 -o 16
	wire_row "$1" "write 64 B" 5 Mmsg/s ib_write_bw -s 64 -n 20000
	wire_row "$1" "write 8 B" 5 us ib_write_lat -s 8 -n 2000
	wire_row "$1" "write 4 KiB, 1 QP" 4 MB/s ib_write_bw -s 4096 -n 4000 -t 16
	wire_row "$1" "write 4 KiB, 1000 QPs" 4 MB/s ib_write_bw -s 4096 -n 20 -t 16 -q 1000
	wire_lossy_rows "$1"
}
