# memlamp run on the examples: each finding with its line, and what it predicts.
. "$SRC/tests/cli/record.inc"

machine='L1 32K 8w 64B 4c | L2 1M 16w 14c | L3 32M 16w 50c | memory 200c'

# Numbers of this build and of the loader's work do not matter here; names and lines do.
findings() {
	sed -n '/^What to change/,/^Lines that/p; /^No finding/,/^$/p; /^Nothing to/,/^$/p' |
		sed '/^Lines that/d; s/[0-9][0-9,.]*/N/g' | tr -s ' \n' ' ' |
		sed 's/ \(Try\|Or\):/\n\1:/g; s/ N \([a-z]\)/\nN \1/; s/ $/\n/'
}

# fact NAME KIND FACT: a number of the finding of that kind.
fact() {
	awk -v kind="\"$2\"," -v fact="\"$3\":" '
		/"kind":/ { inside = index($0, kind) > 0 }
		inside && index($0, fact) { gsub(/[^0-9.]/, "", $2); print $2; exit }' "$1.json"
}

run() {
	name=$1
	shift
	memlamp run -m "${M:-$machine}" -o "$name.mlt" --json "$@" >"$name.json" ||
		echo "(status $?)"
	sed -i '/^{/,$!d' "$name.json"
}

echo "interchange"
memlamp run --report - -m "$machine" "$BUILD/examples/interchange" | findings
run interchange "$BUILD/examples/interchange"
is "the stride is that of a row" "$(fact interchange stride stride)" 8000
is "all of a million miss" "$(fact interchange stride misses)" 1000000
is "along rows one of eight would" "$(fact interchange stride misses_predicted)" 125000

echo "particles"
memlamp run --report - -m "$machine" "$BUILD/examples/particles" | findings
run particles "$BUILD/examples/particles"
is "an element has" "$(fact particles fields element)" 64

echo "threads that share a line, on four cores"
M="cores 4 | $machine" run sharing "$BUILD/examples/find_sharing"
is "one line goes from core to core" "$(fact sharing 'false sharing' lines)" 1
memlamp run --report - -m "cores 4 | $machine" -o sharing.mlt "$BUILD/examples/find_sharing" | findings |
	sed -n 's/.*\(threads share a line of counters without sharing data\).*\(c->value++;\).*/\1 \2/p'
cc -O2 -g -pthread -DAPART "$SRC/examples/find_sharing.c" -o apart
M="cores 4 | $machine" run apart ./apart
is "with lines of their own it is gone" "$(fact apart 'false sharing' lines)" ""
run one_core "$BUILD/examples/find_sharing"
is "on one core there is none" "$(fact one_core 'false sharing' lines)" ""

echo "rows of a power of two"
cc -O1 -g "$SRC/examples/find_padding.c" -o power
cc -O1 -g -DPAD=8 "$SRC/examples/find_padding.c" -o padded
memlamp run --report - -m "$machine" ./power | findings | grep -v '^Or:'
run power ./power
run padded ./padded
is "padding of a line" "$(fact power padding pad)" 64
is "after it, no such finding" "$(fact padded padding pad)" ""
memlamp diff -m "$machine" power.mlt padded.mlt --csv regions | tr -d '\r' |
	awk -F, '$1 == "grid" { print $9 }' >measured
is "it does what was predicted" "$(fact power padding misses_predicted)" "$(cat measured)"

echo "nothing to mend"
printf '%s\n' 'int a[8]; int main(void) { for (volatile int i = 0; i < 3000000; i++) a[i % 8]++; }' >hot.c
cc -g -O1 hot.c -o hot
memlamp run --report - -m "$machine" ./hot | findings
