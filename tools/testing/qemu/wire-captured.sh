#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Runs at the near end: wire-programs.sh with these lists while the wire is tapped; then each
# captured packet's ICRC is computed by a program of its own, and tshark looks at each opcode.

here=${KV_TREE:?}/tools/testing/qemu
capture=$(mktemp -d)/wire.pcap
# One packet at a time is what other ends see: the tap must, too.
ip link set "$WIRE_NETDEV" gso_max_segs 1
tcpdump -U -i "$WIRE_NETDEV" -s 0 -c "${KV_PACKETS:-20000}" -w "$capture" udp port 4791 2>/dev/null &
tap=$!
sleep 2
"$here/wire-programs.sh" "$@"
status=$?
sleep 1
kill "$tap" 2>/dev/null
wait "$tap"
"$here/wire-icrc.py" "$capture" || status=1
exit "$status"
