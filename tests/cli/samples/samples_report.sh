# memlamp report and memlamp diff of samples: originals, folders and imported tables.
show() {
	echo "\$ $*"
	"$@" 2>&1
	status=$?
	test $status = 0 || echo "(status $status)"
}
cp -r "$SRC/tests/samples" .
cd samples
memlamp import lulesh -o l.mlh 2>/dev/null

echo "report:"
show memlamp report lulesh/
show memlamp report l.mlh -o imported.html
sed 's/lulesh\/*/X/g; s/l\.mlh/X/g' lulesh.html >a.html
sed 's/l\.mlh/X/g; s/lulesh\/*/X/g' imported.html >b.html
cmp a.html b.html && echo "the folder and the file have the same report"
grep -o '<section id="[a-z]*">' lulesh.html
echo "the page is named after the folder, and its time begins with the first sample:"
(cd .. && memlamp report samples/heat -o time.html 2>/dev/null && grep -o '<h1>[a-z/]*</h1>\|>[a-z]* +[0-9.]*[ kMGT]*<' time.html)
# the sum of the table is that of awk
awk -F, 'NR > 1 { s += $6 } END { print s }' lulesh/data/samples.out >sum.txt
grep -o '<b>[0-9,]*</b><span>cycles of latency' lulesh.html | tr -dc '0-9\n' | cmp - sum.txt && echo "cycles as by awk"
show memlamp report heat -o h.html -s 'latency > 100'
grep -c 'level is unknown of all samples' h.html
grep -o 'latency &gt; 100' h.html | head -1
printf 'file,line,latency,variable\nx.c,2,10,<b>\nx.c,2,20,b&c\n' >e.csv
printf 'int a;\nint b = a < 1 && a;\n' >x.c
memlamp report e.csv -o - | grep -o '&lt;b&gt;\|b&amp;c\|a &lt; 1 &amp;&amp; a' | sort
memlamp report e.csv -o - --no-source | grep -c 'a &lt; 1'
show memlamp report l.mlh --machine zen4
show memlamp report l.mlh -s 'nothing = 1' -o x.html

echo "diff:"
cat >a.csv <<END
time,latency,function,variable
1,10,f,u
2,30,f,u
3,60,g,v
END
cat >b.csv <<END
time,latency,function,variable
1,10,f,u
2,10,f,u
3,30,h,v
END
# f: 40 of 100 and 20 of 50 cycles; g: 60 of 100; h: 30 of 50
show memlamp diff a.csv b.csv
show memlamp diff a.csv b.csv --csv functions -n 1
show memlamp diff lulesh l.mlh --csv totals
show memlamp diff a.csv b.csv --csv nothing
show memlamp diff a.csv
show memlamp diff a.csv b.csv --fail-if 'x > 1'
