# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Guests are slow enough without fighting for CPUs: a few slots, first come first served (who
# holds the turn looks for a slot, the others queue for the turn). Sourced by guest and pair;
# needs image.sh for the cache folder.

# slots_take one|all: held until this process ends. Who was started by somebody that holds all
# of them (KVERBS_SLOTS_HELD) has one.
slots_take() {
	local slots=${KVERBS_GUEST_SLOTS:-2} dir=$CACHE/slots n fd turn
	[ -z "${KVERBS_SLOTS_HELD:-}" ] || return 0
	mkdir -p "$dir"
	exec {turn}>"$dir/turn"
	flock "$turn"
	if [ "$1" = all ]; then
		for ((n = 0; n < slots; n++)); do
			exec {fd}>"$dir/$n"
			flock "$fd"
		done
	else
		until slots_take_free "$slots" "$dir"; do
			sleep 0.3
		done
	fi
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
