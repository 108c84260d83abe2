# Programs whose loops are known (section 6.4 of the dissertation), compiled without
# optimisation. Turns are those begun: the first and the last are cut by the window.
. "$SRC/tests/cli/record.inc"

cat >turns.py <<'END'
import json, math, sys
d = json.load(sys.stdin)
has = {math.ceil(c["turns"] - 0.1) for c in d[sys.argv[1]]
       if not c["refused"] and c["death"] - c["birth"] >= 3}
lacks = [n for n in map(int, sys.argv[2].split()) if n not in has]
print("turns:", sys.argv[2]) if not lacks else print("lacks", lacks, "has", sorted(has))
END

# while FUNCTION of TRACE runs: from its first reference to its last
during() {
	memlamp dump "$1" --site "$2" --format csv | awk -F, 'NR == 2 { a = $1 } NR > 1 { b = $1 } END { print "--from", a, "--to", b + 1 }'
}

turns() { # words, turns, function, trace, basis, options
	words=$1 wanted=$2 function=$3 trace=$4 basis=$5
	shift 5
	echo "# $words"
	# shellcheck disable=SC2046
	memlamp cycles "$trace" $(during "$trace" "$function") --json "$@" | python3 turns.py "$basis" "$wanted"
}

build bubble -O0
build product -O0
build interpolate -O0
record -o ascending.mlt ./bubble 1 2 3 4 5
record -o descending.mlt ./bubble 5 4 3 2 1
record -o shuffled.mlt ./bubble 3 5 2 1 4
record -o array.mlt ./bubble array 5 4 3 2 1
record -o product.mlt ./product
record -o blocks.mlt ./product blocked
record -o five.mlt ./interpolate 5
record -o sixty.mlt ./interpolate 60

turns "1 2 3 4 5: 4 comparisons with 2 look-ups each" "8 4" bubblesort ascending.mlt reduced
turns "5 4 3 2 1: 10 swaps, 3 calls each, in 4 sweeps" "30 10 4" bubblesort descending.mlt reduced
turns "3 5 2 1 4: 6 swaps, 4 sweeps" "6 4" bubblesort shuffled.mlt reduced
turns "5 4 3 2 1 in an array: 10 swaps in 4 sweeps" "10 4" bubblesort_array array.mlt reduced
turns "4 x 4 matrices" "64 16 4" multiply product.mlt reduced
turns "the same in blocks of 2 x 2: 2 x 2 x 4 x 2 x 2" "64 32 16" blocked blocks.mlt reduced
turns "64 nodes to clear; 5 particles, 4 nodes each, mass and momentum" "64 40 20 5" \
	interpolate five.mlt reduced
echo "# S_x and S_y turn the same circle"
# shellcheck disable=SC2046
memlamp cycles five.mlt $(during five.mlt interpolate) --json |
	python3 -c '
import json, sys
for c in json.load(sys.stdin)["reduced"]:
    names = {(l["function"] or "").split("(")[0].split("::")[-1] for l in c["lines"]}
    if {"S_x", "S_y", "shape"} <= names:
        print("yes")
        break'
echo "# 60 particles, each 10th reference: 480 calls turn on a longer scale"
# shellcheck disable=SC2046
memlamp cycles sixty.mlt $(during sixty.mlt interpolate) --every 10 --json |
	python3 -c '
import json, sys
c = json.load(sys.stdin)["classes"][0]
print(c["birth"], c["death"] - c["birth"] >= 6, c["covered"] > 0.5)'
echo "# classes of a whole process are the loader's, those of a function its own; the command says so"
loaders() { grep -c "turn in the loader or in libraries" || true; }
memlamp cycles ascending.mlt | loaders
# shellcheck disable=SC2046
memlamp cycles ascending.mlt $(during ascending.mlt bubblesort) | loaders
