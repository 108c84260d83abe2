#!/bin/bash
# under_load.sh BUILD [CTEST ARGUMENT...]: runs the tests ROUNDS times beside LOAD busy
# loops, which keep the processors from them: no test may depend on how fast another
# process runs. Prints how often each test failed, and exits 1 if any did. The output of
# failed tests is in BUILD/under_load.log.
#
#	ROUNDS=2 LOAD=8 tests/under_load.sh build -R web
set -u
build=$1
shift
rounds=${ROUNDS:-10}
loops=()
failed=()

trap '[ ${#loops[@]} = 0 ] || kill "${loops[@]}"' EXIT
trap 'exit 1' INT TERM HUP
for ((i = 0; i < ${LOAD:-8}; i++)); do
	while :; do :; done &
	loops+=($!)
done
: >"$build/under_load.log"
for ((round = 1; round <= rounds; round++)); do
	output=$(ctest --test-dir "$build" --output-on-failure "$@" 2>&1) && {
		echo "round $round of $rounds: green"
		continue
	}
	echo "$output" >>"$build/under_load.log"
	mapfile -t names < <(sed -n '/^The following tests FAILED/,$ s/.* - \([^ ]*\) (.*/\1/p' <<<"$output")
	echo "round $round of $rounds: ${names[*]:-ctest failed}"
	failed+=("${names[@]:-ctest}")
done
[ ${#failed[@]} = 0 ] || printf '%s\n' "${failed[@]}" | sort | uniq -c | sort -rn
[ ${#failed[@]} = 0 ]
