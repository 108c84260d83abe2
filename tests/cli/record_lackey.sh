# As many loads and stores as Valgrind's lackey counts: that is the only other tool that
# counts them the same way. It leaves out what helper functions touch, and to bind a symbol
# lazily is to use XSAVE, which is one: hence LD_BIND_NOW.
. "$SRC/tests/cli/record.inc"
lackey=$(command -v valgrind.bin || command -v valgrind)

# The environment lies on the program's stack and its start-up code reads it: same for both.
bare="env -i PATH=$PATH LD_BIND_NOW=1 VALGRIND_LIB=$BUILD/valgrind"

compare() {
	$bare "$lackey" --tool=lackey --detailed-counts=yes -q --log-file=lackey.log --vgdb=no \
		--run-libc-freeres=no --run-cxx-freeres=no "$@" >out1
	$bare "$BUILD/memlamp" record -q --no-heap -o x.mlt "$@" >out2
	cmp out1 out2
	# the table: Type Loads Stores AluOps
	awk '/AluOps/ { table = 1; next }
	     table && $2 ~ /^[IFDV][0-9]+$/ { gsub(",", ""); loads += $3; stores += $4 }
	     END { print loads, stores }' lackey.log >counts
	read -r loads stores <counts
	is "$1 loads" "$(number x.mlt reads)" "$loads"
	is "$1 stores" "$(number x.mlt writes)" "$stores"
}

build loads
compare ./loads
compare /bin/true
seq 3000 >numbers
compare gzip -c numbers
