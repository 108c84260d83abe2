# What the options leave out is left out, to the reference, and the gap is told.
. "$SRC/tests/cli/record.inc"
build phases

# counts TRACE: references to each array
counts() {
	for array in before inside behind hidden own helped; do
		printf '%s %s  ' $array "$(refs "$1" --region $array)"
	done
	echo
}
gaps() {
	memlamp dump "$1" | grep '^gap'
}

echo "everything but what the program hides:"
record -o all.mlt ./phases
counts all.mlt
all=$(number all.mlt references)
hidden=$(gaps all.mlt | awk '{ print $2 }')
within "the gap is the loop and a bit" "$hidden" 100 150
gaps all.mlt | wc -l

echo "memlamp.h:"
memlamp dump all.mlt | grep -E '^(mark|begin|end|state)'
memlamp dump --region field all.mlt | sed -n 's/.*# //p'
memlamp dump --region half all.mlt | sed -n 's/.*# //p'
memlamp dump --region reused all.mlt | sed -n 's/.*# //p'
memlamp info --csv phases all.mlt | tr -d '\r' | cut -d, -f1,2

echo "--skip and --limit:"
record -o x.mlt --skip 1000 ./phases
is "all but 1000" "$(number x.mlt references)" $((all - 1000))
gaps x.mlt | head -n 1
record -o x.mlt --limit 1000 ./phases
is "just 1000" "$(number x.mlt references)" 1000
gaps x.mlt
record -o x.mlt --skip 500 --limit 1000 ./phases
memlamp dump --from 500 --to 1500 all.mlt | sed 's/^[0-9]* //; s/ #.*//' >1
memlamp dump x.mlt | grep -v '^gap' | sed 's/^[0-9]* //; s/ #.*//' >2
cmp 1 2 && echo "the same 1000"

echo "--every:"
record -o x.mlt --every 10/1000 ./phases
# ten of each whole thousand and at most ten of the rest
within "a hundredth" "$(number x.mlt references)" $((all / 1000 * 10)) $((all / 1000 * 10 + 10))
# one at the end of each ten, and where a step is cut its rest may be told apart
within "a gap each" "$(gaps x.mlt | wc -l)" $((all / 1000)) $((2 * all / 1000 + 2))
is "in all" $(($(gaps x.mlt | awk '{ n += $2 } END { print n }') + $(number x.mlt references))) \
	$((all + hidden))

echo "--only-in:"
record -o x.mlt --only-in work ./phases
counts x.mlt
record -o x.mlt --only-in helper ./phases
counts x.mlt
record -o x.mlt --only-in nothing ./phases
memlamp record -o x.mlt --only-in nothing ./phases 2>&1 | sed -n 's/.*warning: //p'

echo "--from-mark, --to-mark:"
record -o x.mlt --from-mark middle ./phases
counts x.mlt
record -o x.mlt --to-mark middle ./phases
counts x.mlt
record -o x.mlt --from-mark middle --to-mark middle ./phases
counts x.mlt
record -o x.mlt --from-mark here ./phases
counts x.mlt
memlamp record -o x.mlt --from-mark nowhere ./phases 2>&1 | sed -n 's/.*warning: //p'

echo "--no-stack:"
record -o x.mlt --no-stack ./phases
counts x.mlt
is "stack references left" "$(memlamp dump x.mlt | grep -c '# stack')" 0
left=$(memlamp info --json x.mlt | sed -n 's/.*"stack references left out": "\([0-9]*\)".*/\1/p')
is "in all" $(($(number x.mlt references) + left)) "$all"

echo "--fetch:"
record -o x.mlt --fetch ./phases
is "no other change" "$(($(number x.mlt reads) + $(number x.mlt writes)))" "$all"
within "some instructions each" "$(number x.mlt fetches)" $((2 * all)) $((6 * all))
memlamp dump --kind f --site helper x.mlt | grep -m1 '^[0-9]' | awk '{ print $2, $7 }'

echo "--no-source:"
cp "$SRC/tests/traces/phases.c" copy.c
cc -g -O1 -I"$SRC/include" copy.c -o copy
record -o with.mlt ./copy
record -o without.mlt --no-source ./copy
rm copy.c
memlamp info with.mlt | grep -o 'own\[i\] = n;' | head -n 1
is "text without" "$(memlamp info without.mlt | grep -c 'own\[i\] = n;')" 0

echo "C++:"
build user -Wall -Wextra -Wconversion -Wold-style-cast -Werror
record ./user
memlamp dump --region table --site main user.mlt | grep user.cpp | sed -n 's/.*\([rw]\) 0x.*# /\1 /p' | tail -n 3
is "states" "$(memlamp dump user.mlt | grep -c '^state i')" 12
