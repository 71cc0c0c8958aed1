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

# What a program printed, its result lines prefixed with its name, without its plans (programs that
# it ran one after the other had one each), and what its end adds to that. One program for all of it:
# under emulation starting one costs more than what it does.
TAP_JUDGE='
/^1\.\.[0-9]/ { plans++; split($0, plan, /[. ]+/); planned += plan[2] }
/^1\.\.0( |$)/ { results++ }
/^(ok( |$)|not ok( |$)|Bail out!)/ { results++ }
/^(not ok( |$)|Bail out!)/ { failed++ }
/^1\.\.[1-9]/ { next }
/^(ok|not ok)/ {
	verdict = /^ok/ ? "ok" : "not ok"
	sub(/^(not )?ok *[0-9]* *-? */, "")
	$0 = verdict " - " name ": " $0
}
{ print }
END {
	print "# " name ": " seconds " s"
	if (status == 124 || status == 137)
		print "not ok - " name ": still running after " limit " s"
	else if (status != 0 && status != 4 && !failed)
		print "not ok - " name ": ended with status " status
	else if (!plans && !results)
		print "not ok - " name ": printed no result"
	else if (planned && planned != results)
		print "not ok - " name ": " results + 0 " results of " planned
}'

# tap_run NAME SECONDS COMMAND...: prints the program's TAP, its result lines
# prefixed with NAME, and how long it took; adds a failure when it dies, hangs, forgets
# results or prints none at all without having said so.
tap_run() {
	local name=$1 limit=$2 out=${TMPDIR:-/tmp}/tap.$BASHPID.$RANDOM status=0 start=$SECONDS
	shift 2
	(set -C; : >"$out") || return
	timeout -k 5 "$limit" "$@" >"$out" 2>&1 </dev/null || status=$?
	awk -v name="$name" -v limit="$limit" -v status="$status" \
		-v seconds="$((SECONDS - start))" "$TAP_JUDGE" "$out"
	rm -f "$out"
}
