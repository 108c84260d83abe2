# Samples out of a trace: one reference of one is the simulation itself; fewer are near it.
rows() { # FILE TABLE: "name samples cycles"
	memlamp samples "$1" --csv "$2" | tr -d '\r' | awk -F, 'NR > 1 { print $6, $1, $2 }' | sort
}
memlamp import --model 'matmul 40 8 order ijk' -o m.mlt 2>/dev/null
machine='L1 1K 2w 64B 4c | L2 8K 4w 12c | memory 200c'

memlamp import m.mlt -M "$machine" -e 1 -o all.mlh
memlamp sim m.mlt -m "$machine" --csv regions | tr -d '\r' >sim.csv
column() { # NAME: its number
	head -1 sim.csv | tr , '\n' | grep -nx "$1" | cut -d: -f1
}
awk -F, -v c=$(column cycles) 'NR > 1 { print $1, $3, $c }' sim.csv | sort >wanted.txt
rows all.mlh variables | cmp - wanted.txt && echo "variables as memlamp sim has them"
for level in L1:L1 L2:L2 memory:RAM; do
	awk -F, -v c=$(column served_by_${level%:*}) -v n=${level#*:} 'NR > 1 { s += $c } END { print n, s }' sim.csv
done | sort >wanted.txt
rows all.mlh levels | awk '{ print $1, $2 }' | cmp - wanted.txt && echo "levels as memlamp sim has them"

echo "every tenth, regularly: the loop is in step, random periods are not"
memlamp import m.mlt -M "$machine" -e 10 --regular -o r.mlh
memlamp import m.mlt -M "$machine" -e 10 -o t.mlh 2>/dev/null
# within four standard deviations of a tenth of all references: sqrt(256000 / 12) is 146
memlamp samples t.mlh --json | awk -F'[:,]' '/"samples":/ { if ($2 > 25600 - 600 && $2 < 25600 + 600) print "about a tenth"; exit }'
# random periods: the share of RAM is that of all, within a quarter
ram() { rows $1 levels | awk '{ all += $2 } $1 == "RAM" { ram = $2 } END { print ram / all }'; }
echo "$(ram all.mlh) $(ram t.mlh)" | awk '{ if ($2 > 0.75 * $1 && $2 < 1.25 * $1) print "the share of RAM is right" }'

echo "two cores, as threads:"
cat >two.txt <<'END'
thread 1
r0 r64 r128 r192
thread 2
r4096 r4160 r4224 r4288
END
memlamp import two.txt -o two.mlt 2>/dev/null
memlamp import two.mlt -M "cores 2 | L1 1K 2w 64B | L2 8K 4w shared" -e 1 -o two.mlh
memlamp samples two.mlh --show cpus
memlamp samples two.mlh --show hardware

echo "phases and states of memlamp.h:"
. "$SRC/tests/cli/cc.inc"
built phases
memlamp record -q -o p.mlt ./phases
memlamp import p.mlt -M tiny-4sets -e 1 -o p.mlh 2>/dev/null
memlamp samples p.mlh -s 'phase = middle' --csv variables | tr -d '\r' | awk -F, 'NR > 1 { print $6, $1 }' | grep inside
memlamp samples p.mlh -s 'variable = field' --show columns | awk '$1 ~ /^[xyz]$/ { print $1, $2, $4, $5 }'

echo "the format and errors:"
memlamp import m.mlt -f trace -M 'L1 1K' -e 1000 -o f.mlh
memlamp import m.mlt -M 'L9 7' -o f.mlh
memlamp import m.mlt -o m.mlt
true
