# A second reader of sample files, written from docs/format.md, gives the original back.
for name in lulesh/data/samples.out heat/data/samples.csv; do
	folder=${name%%/*}
	memlamp import "$SRC/tests/samples/$folder" -o $folder.mlh 2>/dev/null
	# columns that memlamp added stand behind the original ones
	width=$(head -1 "$SRC/tests/samples/$name" | tr , '\n' | wc -l)
	python3 "$SRC/tests/read_samples.py" $folder.mlh | cut -d, -f1-$width >$folder.csv
	cmp $folder.csv "$SRC/tests/samples/$name" && echo "$folder: the same, byte by byte"
done
