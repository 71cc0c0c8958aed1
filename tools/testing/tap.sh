# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# The little that our shell tests know of TAP: run a program that prints it and
# see that it kept its promise; count results. Sourced on the host and in guests.

# tap_result STATUS DESCRIPTION: one result line of the shell's own.
tap_result() {
	[ "$1" = 0 ] && printf 'ok - %s\n' "$2" || printf 'not ok - %s\n' "$2"
}

# tap_count FILE: "passed failed skipped". A skipped test is not a passed one.
tap_count() {
	awk '/^ok .*# *[Ss][Kk][Ii][Pp]/ { skipped++; next }
		/^1\.\.0( |$)/ { skipped++; next }
		/^ok( |$)/ { passed++; next }
		/^(not ok( |$)|Bail out!)/ { failed++ }
		END { print passed + 0, failed + 0, skipped + 0 }' "$1"
}

# tap_run NAME SECONDS COMMAND...: prints the program's TAP, its result lines
# prefixed with NAME, and how long it took; adds a failure when it dies, hangs, forgets
# results or prints none at all without having said so.
tap_run() {
	local name=$1 limit=$2 out status=0 passed failed skipped planned start=$SECONDS
	shift 2
	out=$(mktemp)
	timeout -k 5 "$limit" "$@" >"$out" 2>&1 </dev/null || status=$?
	sed -E "s/^(ok|not ok) *([0-9]*) *-? *(.*)/\1 - ${name//\//\\/}: \3/; /^1\.\.[1-9]/d" "$out"
	echo "# $name: $((SECONDS - start)) s"
	read -r passed failed skipped < <(tap_count "$out")
	# Programs that it ran one after the other had a plan each.
	planned=$(awk -F '[. ]+' '/^1\.\.[0-9]/ { sum += $2; n++ } END { if (n) print sum }' "$out")
	if [ "$status" = 124 ] || [ "$status" = 137 ]; then
		echo "not ok - $name: still running after $limit s"
	elif [ "$status" != 0 ] && [ "$status" != 4 ] && [ "$failed" = 0 ]; then
		echo "not ok - $name: ended with status $status"
	elif [ -z "$planned" ] && [ $((passed + failed + skipped)) = 0 ]; then
		echo "not ok - $name: printed no result"
	elif [ -n "$planned" ] && [ "$planned" != 0 ] &&
		[ "$planned" != $((passed + failed + skipped)) ]; then
		echo "not ok - $name: $((passed + failed + skipped)) results of $planned"
	fi
	rm -f "$out"
}
