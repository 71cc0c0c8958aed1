# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Guests are slow enough without fighting for CPUs, and wait for half of their time: one slot more
# than there are CPUs, first come first served (who holds the turn looks for slots, the others queue
# for the turn). Sourced by guest and pair; needs image.sh for the cache folder.

# slots_take N|all: held until this process ends. Who was started by somebody that holds some
# (KVERBS_SLOTS_HELD) has one.
slots_take() {
	local slots=${KVERBS_GUEST_SLOTS:-$(($(nproc) + 1))} dir=$CACHE/slots count=$1 taken turn
	[ -z "${KVERBS_SLOTS_HELD:-}" ] || return 0
	[ "$count" != all ] && [ "$count" -le "$slots" ] || count=$slots
	mkdir -p "$dir"
	exec {turn}>"$dir/turn"
	flock "$turn"
	for ((taken = 0; taken < count; taken++)); do
		until slots_take_free "$slots" "$dir"; do
			sleep 0.3
		done
	done
	exec {turn}>&-
}

slots_take_free() {
	local n fd
	for ((n = 0; n < $1; n++)); do
		exec {fd}>"$2/$n"
		flock -n "$fd" && return
		exec {fd}>&-
	done
	return 1
}
