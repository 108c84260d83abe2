# docs/machines.md has every preset; nonsense is refused with the word and the reason.
memlamp sim --list-machines | sed '1d; s/ .*//' | while read -r name; do
	test "$name" = host || grep -q "^\*\*$name\*\*: " "$SRC/docs/machines.md" ||
		echo "docs/machines.md has no $name"
done

echo 'r0 r64' >a.txt
memlamp import a.txt 2>/dev/null
for machine in 'zenn4' 'L1 32K lruu' 'L1 96 5w 16B' 'L1 1K | L2 4K opt inclusive'; do
	memlamp sim -m "$machine" a.mlt
	echo "(status $?)"
done
