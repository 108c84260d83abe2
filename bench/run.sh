#!/bin/sh
# make bench: what recording costs and how small and fast traces are, on four programs.
#
#	bench/run.sh BUILD [PROGRAM...]     programs: gzip hash matmul sqlite
#
# Each row is measured in one go: the program alone, under valgrind --tool=none, recorded by
# memlamp to a file on disk, under cachegrind; lackey's text trace on a smaller input of the same
# kind, because it takes minutes, compared by time a reference. Then the traces are decoded.
set -eu
build=$(cd "$1" && pwd)
src=$(cd "$(dirname "$0")/.." && pwd)
shift
[ $# -gt 0 ] || set -- gzip hash matmul sqlite
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT INT TERM
cd "$dir"
PATH=$build:$PATH

for w in hash matmul; do
	cc -O1 -g -o $w "$src/bench/work/$w.c"
done
# text, the same for a given machine: headers in order
find /usr/include -name '*.h' | LC_ALL=C sort | xargs cat 2>/dev/null | head -c 40000000 >text
head -c 300000 text >small
cat >queries <<'EOF'
create table t(a integer, b text, c real);
with recursive n(i) as (select 1 union all select i+1 from n where i<ROWS)
insert into t select i*7919%100003, 'name'||(i%977), i*0.5 from n;
create index ti on t(a);
select count(*), sum(c) from t where a between 1000 and 50000;
select b, count(*), avg(c) from t group by b order by 2 desc limit 5;
select count(*) from t x join t y on x.a=y.a+1;
EOF
sed 's/ROWS/150000/' queries >large.sql
sed 's/ROWS/1000/' queries >small.sql

# command WORK large|small: sets the program and its arguments
command_of() {
	case $1-$2 in
	gzip-large) echo gzip -c text ;;
	gzip-small) echo gzip -c small ;;
	hash-large) echo ./hash 40000000 ;;
	hash-small) echo ./hash 100000 ;;
	matmul-large) echo ./matmul 700 ;;
	matmul-small) echo ./matmul 60 ;;
	sqlite-large) echo sqlite3 :memory: ".read\\ large.sql" ;;
	sqlite-small) echo sqlite3 :memory: ".read\\ small.sql" ;;
	*) echo "bench: no program '$1'" >&2; exit 2 ;;
	esac
}

# seconds COMMAND...: the faster of two runs
seconds() {
	best=
	for _ in 1 2; do
		start=$(date +%s%N)
		eval "$*" >/dev/null 2>"$dir/said"
		end=$(date +%s%N)
		took=$((end - start))
		if [ -z "$best" ] || [ $took -lt $best ]; then best=$took; fi
	done
	awk "BEGIN { printf \"%.3f\", $best / 1e9 }"
}

refs_of() { # TRACE
	memlamp info --json "$1" | awk -F'[:, ]+' '/"references"/ { print $3; exit }'
}

printf '%-8s %8s %8s %8s %9s %9s %9s %10s %10s %10s\n' program native none record \
	'rec/none' 'grind/rec' 'lackey/rec' references 'M refs/s' 'bytes/ref'
for w; do
	large=$(command_of "$w" large)
	native=$(seconds "$large")
	none=$(seconds "valgrind.bin -q --tool=none $large")
	record=$(seconds "memlamp record -q -o $w.mlt -- $large")
	grind=$(seconds "valgrind.bin -q --tool=cachegrind --cache-sim=yes --cachegrind-out-file=/dev/null $large")
	small=$(command_of "$w" small)
	lackey=$(seconds "valgrind.bin --tool=lackey --trace-mem=yes --log-file=$dir/lackey $small")
	eval "memlamp record -q -o small.mlt -- $small" >/dev/null 2>&1
	refs=$(refs_of "$w.mlt")
	few=$(refs_of small.mlt)
	bytes=$(wc -c <"$w.mlt")
	awk -v w="$w" -v native="$native" -v none="$none" -v record="$record" -v grind="$grind" \
		-v lackey="$lackey" -v refs="$refs" -v few="$few" -v bytes="$bytes" 'BEGIN {
		printf "%-8s %8.2f %8.2f %8.2f %9.2f %9.2f %9.0f %10.0f %10.0f %10.4f\n", w, native,
			none, record, record / none, grind / record,
			(lackey / few) / (record / refs), refs, refs / record / 1e6, bytes / refs }'
done
echo
traces=
for w; do traces="$traces $w.mlt"; done
"$build/bench_decode" $traces
