# Samples that are damaged, odd or none at all: a sentence, never a crash.
show() {
	echo "\$ $*"
	"$@" 2>&1
	status=$?
	test $status = 0 || echo "(status $status)"
}

: >empty.mlh
printf 'a,b\n' >heading.csv
printf '\001\377\000\200bytes\n' >bytes.csv
# quotes, a quoted end of line, blank lines, a negative number, an exponent
printf '"x, y",latency,cpu\n"he said ""hi""",5,0\n\n"two\nlines",-7,99\n\nplain,1e3,1\n' >quoted.csv
printf '\357\273\277latency;cpu\r\n1;2\r\n3;4\r\n' >bom.csv
printf 'latency,cpu,level\n5,0,L1\n6,4000000000,L9\n,,\nx,1,L1\n' >odd.csv
printf 'weight,who\n1,2\n' >norole.csv
mkdir -p nodata/data badxml/data cpus/data
printf '<Hardware' >badxml/hardware.xml
printf 'latency,cpu\n1,0\n2,1\n' >badxml/data/samples.csv
# CPUs that the hardware does not have, or that are not known
cp "$SRC/tests/samples/lulesh/hardware.xml" cpus
printf 'latency,cpu,dataSource\n1,0,1\n2,777,3\n3,-1,15\n4,,1\n' >cpus/data/samples.csv
for f in empty.mlh heading.csv bytes.csv quoted.csv bom.csv odd.csv norole.csv nodata badxml cpus; do
	show memlamp samples $f
done
show memlamp samples quoted.csv --show columns
show memlamp import bytes.csv -o b.mlh
show memlamp import cpus -o c.mlh
show memlamp samples c.mlh --show metrics -n 2
show memlamp samples c.mlh -s 'cpu < 0' --show levels
# hwloc in a cpuset: CPU 1 is missing between others
printf '<Hardware id="0"><Cache id="3"><CPU id="0"></CPU><CPU id="2"></CPU></Cache></Hardware>' >hole.xml
show memlamp samples cpus/data/samples.csv --hardware hole.xml --show metrics
memlamp import cpus/data/samples.csv --hardware hole.xml -o h.mlh 2>/dev/null
show memlamp query h.mlh '/api/samples/0/table?table=metrics' | grep -c tier
show memlamp query h.mlh /api/samples/0 | grep -o '"elsewhere": *[0-9]*'
show memlamp query nodata /api/samples/0
show memlamp report bytes.csv -o r.html
show memlamp diff c.mlh heading.csv
# a latency without its sign; a table whose headings say nothing; a trace
printf 'latency,cpu\n5,0\n7,1\n18446744073709551615,1\n' >unsigned.csv
show memlamp samples unsigned.csv
show memlamp diff c.mlh norole.csv
printf 'r 0x10 8\n' >t.txt
memlamp import t.txt -o t.mlt >/dev/null 2>&1
show memlamp diff c.mlh t.mlt
