# A program built by memlamp cc records itself also behind launchers, and is not recorded with
# its hooks under Valgrind.
. "$SRC/tests/cli/cc.inc"
test -e "$BUILD/valgrind/memlamp-amd64-linux" || { echo "the Valgrind tool is not built"; exit 77; }

built loops
record -o direct.mlt ./loops >/dev/null
wanted=$(number direct.mlt references)

# traces: back end and references of each trace of the last recording that has ours
traces() {
	for trace in "$@"; do
		test -e "$trace" || continue
		test "$(backend "$trace")" = cc && is "  recorded by its hooks, whole" "$(number "$trace" references)" "$wanted"
		memlamp info --json "$trace" | grep -q '"command": "[^"]*\./loops"' &&
			test "$(backend "$trace")" = valgrind &&
			memlamp info --csv functions "$trace" | grep -q tsan && echo "  hooks under Valgrind"
	done
	rm -f "$@"
}

# launch WORD...
launch() {
	echo "\$ $*"
	record -o t.mlt "$@" >/dev/null
	traces t.mlt t.*.mlt
}

launch env A=b ./loops
launch taskset 1 ./loops
launch nice ./loops
launch sh -c 'exec ./loops'
launch sh -c './loops; true'
launch env A=b sh -c 'exec ./loops'
cp loops other
PATH=$PWD:$PATH launch env other
echo "with --valgrind it is not so:"
record --valgrind -o t.mlt sh -c 'exec ./loops' >/dev/null
for trace in t.mlt t.*.mlt; do backend "$trace"; done
