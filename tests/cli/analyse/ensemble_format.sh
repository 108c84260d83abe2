# The format is what docs/format.md says: a reader written from it reads the same.
for program in python3 zstd; do
	command -v $program >/dev/null || { echo "no $program"; exit 77; }
done

# The file, and what to call it.
same() {
	"$BUILD/ensemble_print" "$1" >ours || exit 1
	python3 "$SRC/tests/read_ensemble.py" "$1" >theirs || exit 1
	if cmp theirs ours; then
		echo "$2: same"
	else
		diff ours theirs | head -n 10
	fi
	cut -d ' ' -f 1 ours | sort -u >>used
}

memlamp import --model 'matmul 20' -o m.mlt 2>/dev/null
memlamp ensemble -o a.mle -m 'L1 {512,1K,1536} {2w,full} {lru,mru} | L2 8K' m.mlt >/dev/null ||
	exit 1
same a.mle "sizes, ways and policies"
cat >t.txt <<END
begin a
mark x
r0x1000*10 w0x1008*10 r0x1000
mark x
r0x2000+64*40 w0x1008
end a
END
memlamp import t.txt 2>/dev/null
memlamp ensemble -o b.mle --bins 7 -m 'L1 1K | L2 4K | L3 16K | L4 64K' --match marks -w 20 t.mlt \
	>/dev/null || exit 1
same b.mle "four levels, few bins and marks"
memlamp ensemble -o c.mle --bins 7 -m 'L1 1K | TLB {1,2}e full 1K | walk 9c' t.mlt >/dev/null || exit 1
same c.mle "TLBs"

echo "parts of the format that these ensembles use:"
sort -u used
