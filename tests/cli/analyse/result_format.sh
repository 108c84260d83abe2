# The format is what docs/format.md says: a reader written from it reads the same.
for program in python3 zstd; do
	command -v $program >/dev/null || { echo "no $program"; exit 77; }
done

# The trace, the machine, and what to call it.
same() {
	memlamp sim --machine "$2" -o r.mls "$1" >/dev/null || exit 1
	"$BUILD/result_print" r.mls >ours || exit 1
	python3 "$SRC/tests/read_result.py" r.mls >theirs || exit 1
	if cmp theirs ours; then
		echo "$3: same"
	else
		diff ours theirs | head -n 10
	fi
	cut -d ' ' -f 1 ours | sort -u >>used
}

small='L1 1K 2w 64B | L2 4K 4w | L3 16K 8w'
memlamp import --model 'matmul 40' -o m.mlt 2>/dev/null
same m.mlt "$small" "matmul"
memlamp import --model 'random 0x100000 100000 50000 8 w; sweep 0x1000 400 8' -o r.mlt \
	2>/dev/null
same r.mlt "$small | TLB 8e 2w 4K" "random, with a TLB"
same r.mlt "zen4" "random, on a preset"
memlamp import --model 'stride 0x100000 100 8 64 repeat 11000' -o s.mlt 2>/dev/null
same s.mlt "L1 4K 4w 64B" "five blocks and a checkpoint"

cat >t.txt <<END
begin a
f0x400000:4 w0x1000@1*10 w0x1008@2*10 r0x1000@1 r0x2000+64*40@1 w0x1008@2
end a
gap 3
r0x7ffffff0:32
END
memlamp import t.txt 2>/dev/null
same t.mlt "2 cores | L1i 1K 2w 64B | L1 1K 2w | L2 4K 4w shared" "two cores"
memlamp import --model 'sweep 0x1000 2 8' -o e.mlt 2>/dev/null
same e.mlt "$small" "two references"

echo "parts of the format that these results use:"
sort -u used
