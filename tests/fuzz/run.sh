#!/bin/sh
# run.sh PROGRAM CORPUS: fuzzes for FUZZ_SECONDS, starting from the inputs in CORPUS.
# What is found goes to a folder beside the program; an input that breaks it is printed
# (in base64) and kept there. Put it into CORPUS with the fix, and it stays tested.
set -eu
program=$1 corpus=$2
work=$program.corpus
mkdir -p "$work"
cd "$(dirname "$program")"
test -d "$corpus" || corpus=
# shellcheck disable=SC2086
if "$program" -seed=1 -max_total_time="${FUZZ_SECONDS:-5}" -max_len=65536 -timeout=20 \
	-rss_limit_mb=1024 -print_final_stats=1 -verbosity=1 "$work" $corpus >"$program.log" 2>&1; then
	findings=0
else
	findings=1
	cat "$program.log"
fi
runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$program.log")
covered=$(grep -o 'cov: [0-9]*' "$program.log" | tail -n 1)
echo "$(basename "$program"): ${runs:-0} executions, $findings findings, ${covered:-cov: 0}" >"$program.summary"
cat "$program.summary"
exit $findings
