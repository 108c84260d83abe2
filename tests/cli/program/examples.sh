# The bundled examples, recorded: each shows what the comment on top of it promises.
test -d "$BUILD/valgrind" || { echo "the Valgrind tool is not built"; exit 77; }
valgrind --version >/dev/null 2>&1 || { echo "no valgrind"; exit 77; }

run() {
	memlamp record -q -o "$1.mlt" "$BUILD/examples/$@" || exit 1
}

# table NAME COLUMNS: lines of the example's own file, or its regions, from the CSV.
lines() {
	memlamp info --csv lines "$1.mlt" | tr -d '\r' | awk -F, -v file="/$2" '
		index($7, file) && $1 >= '"$3"' {
			n = split($7, path, "/")
			print path[n] ":" $8, $2 " reads", $3 " writes", "to " $12
		}'
}
regions() {
	memlamp info --csv regions "$1.mlt" | tr -d '\r' | awk -F, -v names=" $2 " '
		index(names, " " $5 " ") { print $5 ": " $6, $7, $9 " bytes,", $11 " lines" }' | sort
}

run matmul 50
echo "matmul 50: 50^3 = 125000 reads each of A and B; C is written"
lines matmul matmul.c 2000 | sed 's/:[0-9]* / /' | sort
regions matmul "A B C"
memlamp info --csv phases matmul.mlt | tr -d '\r' | cut -d, -f1,2,4

run vector
echo "vector: written as a whole, written again, read; in this order"
memlamp info --csv lines vector.mlt | tr -d '\r' | grep 'vector.cpp' | grep ',v,' |
	sort -t, -k19n | awk -F, '$13 >= 10000 {
		print ($3 > 0 ? "writes" : "reads"), ($5 ? "in a library" : $13 " numbers") }'

run particles
echo "particles: fields have names"
memlamp dump --region particles --site move -n 3 particles.mlt | sed 's/.*# //'
lines particles particles.c 20000 | sed 's/:[0-9]* / /' | sort

run threads
echo "threads: each counts in its own element of one cache line"
for thread in 2 3; do
	memlamp dump --region hits --thread $thread threads.mlt | awk '{ print $2, $NF }' |
		sort | uniq -c | sed 's/^ *//'
done
regions threads "hits left right"
memlamp info --csv threads threads.mlt | wc -l

run interchange
echo "interchange: the same references, in another order"
lines interchange interchange.c 500000 | grep -v ' 0 reads' | sed 's/:[0-9]* / /'
for f in along_rows down_columns; do
	memlamp dump --site $f --region matrix -n 3 interchange.mlt | sed -n 's/.*# //p'
done
