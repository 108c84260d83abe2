# Files of released versions stay readable: tests/formats/VERSION/README.md tells how they
# were made. Every command that reads a kind of file opens them.
works() {
	if "$@" >out 2>err; then
		test -s out || test -s page || test -s picture || echo "nothing is printed: $*"
	else
		echo "\$ $*"
		cat err
	fi
}

for version in "$SRC"/tests/formats/*/; do
	echo "files of version $(basename "$version")"
	rm -rf kept && mkdir kept && cp "$version"* kept && cd kept || exit 1

	# A trace has the references, blocks, marks, states and gaps of its text.
	memlamp info --json small.mlt | grep -E '"(references|whole|damage)"' | head -n 3
	memlamp import --fetch small.txt -o new.mlt 2>/dev/null
	memlamp dump small.mlt >kept.txt && memlamp dump new.mlt >new.txt
	cmp kept.txt new.txt && echo "small.mlt: $(wc -l <kept.txt) lines, as imported today"
	memlamp import --model 'matmul 8; random 0x100000 8K 200 8 m seed 3' -o new.mlt 2>/dev/null
	memlamp dump model.mlt >kept.txt && memlamp dump new.mlt >new.txt
	cmp kept.txt new.txt && echo "model.mlt: $(wc -l <kept.txt) lines, as imported today"
	memlamp info --csv regions model.mlt | cut -d , -f 1-3
	machine='L1 512 2w 64B | L2 2K 4w | TLB 4e 2w 4K'
	memlamp sim model.mlt --machine "$machine" --csv levels | cut -d , -f 1-10
	for trace in small.mlt model.mlt; do
		works memlamp info $trace
		works memlamp sim $trace --machine "$machine"
		works memlamp diff $trace $trace --machine "$machine"
		works memlamp ensemble $trace --machine 'L1 {1K,2K} full'
		works memlamp query $trace /api/open
		works memlamp plot $trace timeline --machine "$machine" -o picture
		works memlamp report $trace --machine "$machine" -o page
		rm -f picture page
	done

	# A result has the figures of its simulation.
	memlamp diff --csv totals small.mls small.mls | cut -d , -f 1,2
	memlamp sim model.mlt --machine "$machine" -o new.mls >/dev/null
	memlamp diff --csv totals model.mls new.mls
	for result in small.mls model.mls; do
		"$BUILD/result_print" $result | grep -E '^(of|machine|version) '
	done

	# An ensemble has its members, and takes further ones.
	memlamp ensemble model.mle --csv members
	memlamp ensemble model.mle --csv series --cells 2 | head -n 3
	works memlamp ensemble model.mle
	works memlamp ensemble model.mle --plot -
	works memlamp query model.mle /api/open
	works memlamp ensemble model.mle model.mlt --machine 'L1 8K full' -o larger.mle
	memlamp ensemble larger.mle --csv members | wc -l
	cd ..
done
