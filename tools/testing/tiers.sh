# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Tiers of tests, one line each: name | what it is | command that prints TAP. The first one makes
# what the others need; the rest start in order, TIER_JOBS at a time: one more than there are CPUs, as
# most of them are guests, which wait for half of their time. What fails is shown as it fails, and how
# long each took. Sourced by check and check-debug; needs lib.sh and tap.sh. The whole output of a tier
# stays in LOGS/<tier>.log.

LOGS=$BUILD/check
TIER_JOBS=${TIER_JOBS:-$(($(nproc) + 1))}

# Seconds of CPU in what `times` said: of its shell's children, QEMU included.
tier_cpu() {
	awk -F '[ms ]+' 'NR == 2 { printf "%.0f", ($1 + $3) * 60 + $2 + $4 }'
}

# The tier's result stays in LOGS/<tier>.count.
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
	times >"$log.times"
	printf '   %-8s %d passed, %d failed, %d skipped in %d s (CPU: %s s)\n' "$name" "$passed" \
		"$failed" "$skipped" $((SECONDS - start)) "$(tier_cpu <"$log.times")"
	echo "$passed $failed $skipped" >"$LOGS/$name.count"
}

# tiers_wait N: until fewer than N of them run.
tiers_wait() {
	while [ "$(jobs -rp | wc -l)" -ge "$1" ]; do
		wait -n
	done
}

# Sums up LOGS/*.count; a tier that left none has failed.
tiers_end() {
	local name passed failed skipped total_passed=0 total_failed=0 total_skipped=0
	for name in "$@"; do
		passed=0 failed=1 skipped=0
		[ ! -f "$LOGS/$name.count" ] || read -r passed failed skipped <"$LOGS/$name.count"
		total_passed=$((total_passed + passed))
		total_failed=$((total_failed + failed))
		total_skipped=$((total_skipped + skipped))
	done
	echo "$total_passed passed, $total_failed failed, $total_skipped skipped"
	[ "$total_failed" = 0 ] && [ "$total_passed" != 0 ]
}

# Each tier is a process group, so that all of it goes when we are told to.
tiers_stop() {
	local group
	for group in $(jobs -rp); do
		kill -TERM -- "-$group"
	done
	exit 130
}

# tiers_run LINES [TIER...]: those tiers, or all; ends with the line of totals.
tiers_run() {
	local lines=$1 name what command first='' ran=()
	shift
	mkdir -p "$LOGS"
	rm -f "$LOGS"/*.count
	set -m
	trap tiers_stop INT TERM HUP
	while IFS='|' read -r name what command; do
		[ -n "$name" ] || continue
		first=${first:-$name}
		[ $# = 0 ] || case " $* " in *" $name "*) ;; *) continue ;; esac
		ran+=("$name")
		tier_run "$name" "$what" "$command" </dev/null &
		[ "$name" = "$first" ] && wait || tiers_wait "$TIER_JOBS"
	done <<<"$lines"
	wait
	echo "ran for $SECONDS s, $TIER_JOBS tiers at a time"
	tiers_end ${ran[@]+"${ran[@]}"}
}
