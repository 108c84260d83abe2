# rep movs and rep stos are recorded in pieces of up to 32 bytes that end at multiples of 32
# in the destination, or element by element with --split-strings.
. "$SRC/tests/cli/record.inc"

# sizes TRACE KIND REGION: how many references of each size, in order of appearance
sizes() {
	memlamp dump --region "$3" "$1" 2>/dev/null | awk -v kind="$2" '
		$2 != kind { next }
		$4 == size { times++; next }
		times { printf "%s%dx%d", sep, times, size; sep = " " }
		{ size = $4; times = 1 }
		END { if (times) printf "%s%dx%d", sep, times, size; print "" }'
}

build repeats
record -o r.mlt ./repeats
record --split-strings -o each.mlt ./repeats
for trace in r each; do
	echo "$trace:"
	for region in stored shifted constant backwards pattern wide_from wide_to odd_from \
		odd_to again taken empty crossing; do
		printf '  %s: read %s; written %s\n' $region "$(sizes $trace.mlt r $region)" \
			"$(sizes $trace.mlt w $region)"
	done
done
echo "where the pieces of shifted begin:"
memlamp dump --region shifted r.mlt | awk '$2 == "w" { print "  " substr($3, length($3) - 1) }'

# One fetch a piece.
record --fetch -o f.mlt ./repeats
is "as many data references with fetches" "$(memlamp dump f.mlt | grep -c ' [rw] ')" \
	"$(memlamp dump r.mlt | grep -c ' [rw] ')"
