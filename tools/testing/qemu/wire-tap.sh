# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# The near end's tap on the wire: what passes between tap_on and tap_off is left in
# /results/wire-DRIVER.pcap, DRIVER being the far end's, for wire-icrc.py on the host. Sourced by
# wire-programs.sh.

TAP_PACKETS=20000

# segments COUNT: how many packets either end may hand down as one. One at a time is what other
# hosts see: the tap must, too, and so must what loses them.
segments() {
	ip link set "$WIRE_NETDEV" gso_max_segs "$1" &&
		far run ip link set "$FAR_NETDEV" gso_max_segs "$1"
}

tap_on() {
	local tries
	segments 1
	rm -f /tmp/wire.pcap
	# dumpcap would have its modules loaded, only to look for interfaces.
	echo 'install bluetooth /bin/false' >/etc/modprobe.d/tap.conf
	dumpcap -q -P -i "$WIRE_NETDEV" -f 'udp port 4791' -c "$TAP_PACKETS" -w /tmp/wire.pcap \
		2>/tmp/dumpcap &
	tap=$!
	# It has begun when its file has.
	for tries in $(seq 100); do
		[ ! -s /tmp/wire.pcap ] || break
		sleep 0.2
	done
	sleep 0.5
}

tap_off() {
	sleep 1
	kill "$tap" 2>/dev/null
	wait "$tap"
	cp /tmp/wire.pcap "/results/wire-$FAR_DRIVER.pcap" || cat /tmp/dumpcap
	segments 65535
}
