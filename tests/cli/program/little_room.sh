# Little memory, and no folder to write to: the right answer, or one sentence.
(ulimit -v 3000000; memlamp --version >/dev/null 2>&1) || { echo "sanitizers need more"; exit 77; }
memlamp import -m 'sweep 0 200000 8' -o t.mlt >/dev/null 2>&1

echo "no cache folder, and no temporary one"
export XDG_CACHE_HOME=/proc/none
for question in 'query t.mlt /api/sims/0/timeline?cells=9' 'plot t.mlt heat' 'report t.mlt -o r.html'; do
	memlamp $question -m 'L1 1K 2w' >right 2>/dev/null
	TMPDIR=/proc/none memlamp $question -m 'L1 1K 2w' >got 2>said
	echo "$question: status $?, $(cmp right got && echo the same), $(grep -c 'is not kept' said) note"
done
unset XDG_CACHE_HOME

echo "an ensemble that does not fit into memory"
(
	ulimit -v 3000000
	memlamp ensemble -m 'L1 {1K..100K +1K} {1..8 x2}w | L2 {512K..8M x2} {1..8 x2}w' t.mlt -o e.mle 2>&1 | sed 's/[0-9.]* GiB/N GiB/g; s/[0-9.]* MiB/N MiB/g'
)
