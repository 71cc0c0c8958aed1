#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Runs at the near end: wire-programs.sh with these lists while the wire is tapped. The capture is
# left in /results/wire.pcap, for wire-icrc.py on the host.

here=${KV_TREE:?}/tools/testing/qemu
# One packet at a time is what other ends see: the tap must, too.
ip link set "$WIRE_NETDEV" gso_max_segs 1
dumpcap -q -P -i "$WIRE_NETDEV" -f 'udp port 4791' -c "${KV_PACKETS:-20000}" -w /tmp/wire.pcap \
	2>/tmp/dumpcap &
tap=$!
sleep 2
"$here/wire-programs.sh" "$@"
status=$?
sleep 1
kill "$tap" 2>/dev/null
wait "$tap"
cp /tmp/wire.pcap /results/ || { cat /tmp/dumpcap; status=1; }
exit "$status"
