# The programs that benchmarks record, and how they are timed. A script that sources this
# has set src (the tree) and dir (a scratch folder, which is the current one).
#
#	command_of PROGRAM large|middle|small    prints its command line
#	once COMMAND...                          prints how long it takes
#	seconds COMMAND...                       the same, the faster of two runs
#	least A B                                prints the lesser; A may be empty

for w in hash matmul; do
	cc -O1 -g -o $w "$src/bench/work/$w.c"
done
# text, the same for a given machine: headers in order
find /usr/include -name '*.h' | LC_ALL=C sort | xargs cat 2>/dev/null | head -c 40000000 >text
head -c 8000000 text >middle
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
sed 's/ROWS/40000/' queries >middle.sql
sed 's/ROWS/1000/' queries >small.sql

# command WORK large|middle|small: sets the program and its arguments
command_of() {
	case $1-$2 in
	gzip-large) echo gzip -c text ;;
	gzip-middle) echo gzip -c middle ;;
	gzip-small) echo gzip -c small ;;
	hash-large) echo ./hash 40000000 ;;
	hash-middle) echo ./hash 10000000 ;;
	hash-small) echo ./hash 100000 ;;
	matmul-large) echo ./matmul 700 ;;
	matmul-middle) echo ./matmul 700 ;;
	matmul-small) echo ./matmul 60 ;;
	sqlite-large) echo sqlite3 :memory: ".read\\ large.sql" ;;
	sqlite-middle) echo sqlite3 :memory: ".read\\ middle.sql" ;;
	sqlite-small) echo sqlite3 :memory: ".read\\ small.sql" ;;
	*) echo "bench: no program '$1'" >&2; exit 2 ;;
	esac
}

# once COMMAND...: how long it takes, in seconds
once() {
	start=$(date +%s%N)
	eval "$*" >/dev/null 2>"$dir/said"
	end=$(date +%s%N)
	awk "BEGIN { printf \"%.3f\", ($end - $start) / 1e9 }"
}

# least A B: the lesser of two numbers, of which A may be empty
least() {
	awk -v a="$1" -v b="$2" 'BEGIN { print a == "" || b + 0 < a + 0 ? b : a }'
}

# seconds COMMAND...: the faster of two runs
seconds() {
	first=$(once "$@")
	least "$first" "$(once "$@")"
}
