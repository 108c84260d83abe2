# Samples of the hardware: what is printed agrees with sums made by awk; imports; errors.
show() {
	echo "\$ $*"
	"$@" 2>&1
	status=$?
	test $status = 0 || echo "(status $status)"
}

cp -r "$SRC/tests/samples" .
cd samples

show memlamp samples lulesh -n 3
show memlamp samples heat -n 2

# The same sums by awk: by variable, by line, by CPU, by level.
data=lulesh/data/samples.out
sums() { # awk's expression for the group
	awk -F, "NR > 1 { g = $1; n[g]++; c[g] += \$6 }
		END { for (g in n) printf \"%d,%d,%s\\n\", n[g], c[g], g }" $data | LC_ALL=C sort
}
ours() {
	memlamp samples lulesh --csv $1 | tr -d '\r' | awk -F, 'NR > 1 { print $1 "," $2 "," $6 }' | LC_ALL=C sort
}
for pair in 'variables:$1' 'lines:$2 ":" $3' 'cpus:$8'; do
	table=${pair%%:*}
	sums "${pair#*:}" >awk.txt
	ours $table >ours.txt
	cmp awk.txt ours.txt && echo "$table: $(wc -l <ours.txt) groups as by awk"
done
sums '\
	($7 % 16 == 0 ? "unknown" : $7 % 16 == 1 ? "L1" : $7 % 16 == 2 ? "LFB" : \
	$7 % 16 == 3 ? "L2" : $7 % 16 < 8 ? "L3" : $7 % 16 < 10 ? "remote cache" : "RAM")' >awk.txt
ours levels >ours.txt
cmp awk.txt ours.txt && echo "levels: as by awk"

# Imported or not: the same answers.
show memlamp import lulesh -o l.mlh
memlamp samples lulesh --json | sed 1,3d >a.json
memlamp samples l.mlh --json | sed 1,3d >b.json
cmp a.json b.json && echo "the file says the same as the folder"
show memlamp import intel.perf-6.1.script.txt -o i.mlh
show memlamp import intel.perf-6.1.mem-D.txt -o m.mlh
show memlamp samples i.mlh --show levels
show memlamp samples amd.perf-6.1.script.txt --hardware lulesh/hardware.xml --show metrics
show memlamp samples lulesh --show clusters --along iter -m imbalance -w 100 --step 50 -k 3
show memlamp samples lulesh --show clusters --depth 1 -w 100
show memlamp samples lulesh --show windows --along zidx --windows 4 --tier L2 --empty zero
show memlamp samples lulesh --show related -n 3
show memlamp samples lulesh -s 'level = L3' --show special -n 2
show memlamp query lulesh '/api/samples/0/select?select=latency>100'

# Columns of one's own
printf 'when\twho\tcost\n10\t0\t5\n1a\t1\t7\nzz\t1\t8\n' >t.tsv
show memlamp samples t.tsv -c time=when,cpu=2,latency=cost -n 5
show memlamp samples t.tsv -c time=when -t when=names --show columns

# Levels by latency, where there are none: as by awk
show memlamp samples heat --levels L1:20,L2:40,L3:100 --show levels
awk -F, 'NR > 1 { l = $17; n[l <= 20 ? "L1" : l <= 40 ? "L2" : l <= 100 ? "L3" : "RAM"]++ }
	END { for (i in n) print i, n[i] }' heat/data/samples.csv | sort
show memlamp samples lulesh --levels L1:20 --show levels -n 2
show memlamp samples heat --levels L1:20,L2:10

# What goes wrong
show memlamp samples
show memlamp samples missing.csv
show memlamp samples .
show memlamp samples lulesh -s 'latency > many'
show memlamp samples lulesh --show nothing
show memlamp samples lulesh --tier L9 --show windows
show memlamp samples lulesh --show special
show memlamp samples t.tsv --show metrics
show memlamp samples t.tsv -c speed=when
show memlamp samples i.mlh --show clusters
show memlamp samples i.mlh --hardware lulesh/hardware.xml --show hardware -n 3
show memlamp samples i.mlh --types cpu=hex
# columns of an imported file may have other roles
printf 'latency,cpu,dataSource,other,serves\n10,0,1,100,L1\n20,1,3,200,RAM\n30,1,3,300,L2\n' >roles.csv
memlamp import roles.csv -o roles.mlh 2>&1
show memlamp samples roles.mlh --show levels
show memlamp samples roles.mlh -c latency=other,level=serves --show levels
head -c 1000 l.mlh >cut.mlh
show memlamp samples cut.mlh
cp l.mlh magic.mlh
printf X | dd of=magic.mlh bs=1 conv=notrunc 2>/dev/null
show memlamp samples magic.mlh
: >empty.csv
show memlamp samples empty.csv
