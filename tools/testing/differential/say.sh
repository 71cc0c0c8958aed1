# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# How what programs say is written down for compare: "@@ command", what it printed, "@= status".
# Sourced in a guest; with it comes a program that holds one object of each kind.

HOLD=${KV_BUILD:?}/lifetime/hold

# say COMMAND...: its words, its output, its exit status. As few processes as can be: emulation
# makes each of them dear.
say() {
	echo "@@ $*"
	timeout 60 "$@" 2>&1
	echo "@= $?"
}

# holding SECONDS: the program, complete; its number in $holder, its words in /tmp/hold.
holding() {
	"$HOLD" "$1" >/tmp/hold 2>&1 &
	holder=$!
	for _ in $(seq 300); do
		grep -q ready /tmp/hold && break
		sleep 0.1
	done
}

holding_ends() {
	kill -9 "$holder"
	wait "$holder" 2>/dev/null
	for _ in $(seq 100); do
		rdma resource show qp 2>/dev/null | grep -q "comm hold" || break
		sleep 0.1
	done
}
