# The same loads and stores as Valgrind's lackey sees, and as many as it counts: that is the
# only other tool that tells them in the same way. It leaves out what helper functions touch, and to bind a symbol
# lazily is to use XSAVE, which is one: hence LD_BIND_NOW. It counts each element that a string instruction moves: hence
# --split-strings.
. "$SRC/tests/cli/record.inc"
lackey=$(command -v valgrind.bin || command -v valgrind)

# The environment lies on the program's stack and its start-up code reads it: same for both.
# memlamp record adds OMP_WAIT_POLICY and GLIBC_TUNABLES where they are not set, and replaces MEMLAMP_RING.
tuned=glibc.cpu.x86_rep_movsb_threshold=1000000000000:glibc.cpu.x86_rep_stosb_threshold=1000000000000
bare="env -i PATH=$PATH LD_BIND_NOW=1 OMP_WAIT_POLICY=passive GLIBC_TUNABLES=$tuned MEMLAMP_RING=of-24-characters-as-ours VALGRIND_LIB=$BUILD/valgrind"

# run_lackey OPTION COMMAND...
run_lackey() {
	option=$1
	shift
	$bare "$lackey" --tool=lackey "$option" -q --log-file=lackey.log --vgdb=no \
		--run-libc-freeres=no --run-cxx-freeres=no "$@" >out1
}

compare() {
	run_lackey --detailed-counts=yes "$@"
	$bare "$BUILD/memlamp" record -q --no-heap --split-strings -o x.mlt "$@" >out2
	cmp out1 out2
	# the table: Type Loads Stores AluOps
	awk '/AluOps/ { table = 1; next }
	     table && $2 ~ /^[IFDV][0-9]+$/ { gsub(",", ""); loads += $3; stores += $4 }
	     END { print loads, stores }' lackey.log >counts
	read -r loads stores <counts
	is "$1 loads" "$(number x.mlt reads)" "$loads"
	is "$1 stores" "$(number x.mlt writes)" "$stores"
}

# One after the other: kind, address and size. The dynamic linker looks up each character
# of the names of preloaded libraries in a table, and ours has another name than lackey's.
in_order() {
	run_lackey --trace-mem=yes "$@"
	$bare "$BUILD/memlamp" record -q --no-heap --split-strings -o x.mlt "$@" >out2
	awk '/^ [LSM] / { split($2, place, ","); sub(/^0+/, "", place[1])
	                  if ($1 != "S") print "r 0x" place[1], place[2]
	                  if ($1 != "L") print "w 0x" place[1], place[2] }' lackey.log >theirs
	memlamp dump x.mlt | awk '{ print $2, $3, $4 }' >ours
	is "$1 as many" "$(grep -c . ours)" "$(grep -c . theirs)"
	within "$1 in order" "$(diff ours theirs | grep -c '^<')" 0 8
}

build loads
compare ./loads
compare /bin/true
seq 3000 >numbers
compare gzip -c numbers
build strings
compare ./strings
in_order ./strings
seq 300 >few
in_order gzip -c few
