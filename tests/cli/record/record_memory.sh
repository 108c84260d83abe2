# memlamp's own memory does not grow with the length of the recording. (Its peak, without the
# ring that it shares with the program.)
. "$SRC/tests/cli/record.inc"
build random
# under a sanitizer, what is freed should not be kept for long
export ASAN_OPTIONS="quarantine_size_mb=4:${ASAN_OPTIONS-}"

# peak N: KiB that memlamp used at most while recording N random reads
peak() {
	memlamp record -q -o x.mlt ./random "$1" >/dev/null &
	memlamp=$!
	most=0
	while kill -0 "$memlamp" 2>/dev/null; do
		now=$(awk '/^RssAnon/ { print $2 }' "/proc/$memlamp/status" 2>/dev/null)
		test "${now:-0}" -gt "$most" && most=$now
		sleep 0.05
	done
	wait "$memlamp" || echo "(status $?)"
	echo "$most"
}

short=$(peak 10000000)
long=$(peak 40000000)
within "four times as long, as much memory" "$long" 1000 $((short * 12 / 10 + 8192))
