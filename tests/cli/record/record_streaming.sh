# Stores that are streaming already are not advised to be streaming: a trace of Valgrind says
# which instructions make them.
. "$SRC/tests/cli/record.inc"

machine='L1 32K 8w 64B 4c | L2 256K 16w 14c | memory 200c'
for how in 0 1 2 3 4; do
	build streaming -mavx2 -DHOW=$how
	memlamp run -m "$machine" -o s.mlt --json --report f.json ./streaming 2>/dev/null ||
		echo "(status $?)"
	echo "stores $how: $(sed -n 's/^ *"kind": "\(.*\)",$/\1/p' f.json | tr '\n' ';')"
done
