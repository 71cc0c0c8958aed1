# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Tiers of tests, one line each: name | what it is | command that prints TAP. Runs them
# in order, shows what fails as it fails and how long each took. Sourced by check and
# check-debug; needs lib.sh and tap.sh. The whole output of a tier stays in
# BUILD/check/<tier>.log.

LOGS=$BUILD/check
total_passed=0 total_failed=0 total_skipped=0

tier_run() {
	local name=$1 what=$2 command=$3 log=$LOGS/$1.log start=$SECONDS status=0
	local passed failed skipped
	printf '== %-8s %s\n' "$name" "$what"
	# shellcheck disable=SC2086
	$command >"$log" 2>&1 || status=$?
	read -r passed failed skipped < <(tap_count "$log")
	if [ "$status" != 0 ] && [ "$failed" = 0 ]; then
		echo "not ok - $name: ended with status $status" >>"$log"
		failed=1
	elif [ $((passed + failed + skipped)) = 0 ]; then
		echo "not ok - $name: no result" >>"$log"
		failed=1
	fi
	[ "$failed" = 0 ] || grep -E -A8 '^(not ok|Bail out!)' "$log" | grep -vE '^ok' | head -n 60
	printf '   %-8s %d passed, %d failed, %d skipped in %d s\n' "$name" "$passed" "$failed" \
		"$skipped" $((SECONDS - start))
	total_passed=$((total_passed + passed))
	total_failed=$((total_failed + failed))
	total_skipped=$((total_skipped + skipped))
}

# tiers_run LINES [TIER...]: those tiers, or all; ends with the line of totals.
tiers_run() {
	local lines=$1 name what command
	shift
	mkdir -p "$LOGS"
	while IFS='|' read -r name what command; do
		[ -n "$name" ] || continue
		[ $# = 0 ] || case " $* " in *" $name "*) ;; *) continue ;; esac
		tier_run "$name" "$what" "$command" </dev/null
	done <<<"$lines"
	echo "$total_passed passed, $total_failed failed, $total_skipped skipped"
	[ "$total_failed" = 0 ] && [ "$total_passed" != 0 ]
}
