# A space bound to a program that is read, not compiled or run.
cp "$SRC/examples/spaces/product.c" .
cat >small.txt <<'END'
space small
blk in 4, 8, 12, 24
order in permutations of i j k
hard none: blk > 24
soft partial: 24 mod (blk * 2) != 0
soft j_not_inside: position(order, j) != 3
flow "product.c" function product
set "n=24"
tile "i={blk},k={blk}"
order "i_tile,k_tile,{order}"
END
machine='L1 1K 2w 64B 4c | L2 4K 4w 14c | memory 100c'
ranks() {
	awk '/simulated on/ { print $1, $2, $3 } $1 ~ /^[0-9]+$/ && $2 ~ /,/ { print $1, $2, $3, $4, $5, $6 } / removes |best order/'
}
memlamp prune small.txt --tune 24 -m "$machine" --top 3 | ranks
# What memlamp flow says of the best variant and of the last one.
memlamp prune small.txt --tune 24 -m "$machine" -o small.mle --top 24 >out
for rank in 1 24; do
	awk -v r=$rank '$1 == r && $2 ~ /,/ { gsub(",", "", $2); print $2, $4, $5 }' out >variant
	read -r cycles blk order <variant
	memlamp flow product.c -s n=24 --tile "i=$blk,k=$blk" --order "i_tile,k_tile,$order" \
		-m "$machine" --json | grep -B 1000 '"before"' | grep -c "\"cycles\": $cycles"
done
# The ensemble is an ordinary one: ranked again, and read by the page.
memlamp prune small.txt -o small.mle --best 1 --top 1 | ranks
memlamp query small.mle /api/ensembles/0 | grep -o '"blk"' | head -1
memlamp prune small.txt --tune 3 -m "$machine" --json | grep -c '"cycles"'
# Without --tune nothing is simulated.
memlamp prune small.txt | grep -c simulated
# Errors
bad() {
	sed "$1" small.txt >bad.txt
	memlamp prune bad.txt --tune 4 -m "$machine" >/dev/null
	echo "status $?"
}
bad 's/^tile.*/tile "i=4"/'
bad 's/^tile.*/tile "i={blk},q=2"/'
bad 's/^flow.*/flow "none.c"/'
bad 's/^flow.*//'
bad 's/^set.*/set "n=24" set "n=3"/'
bad 's/^set.*/sets "n=24"/'
