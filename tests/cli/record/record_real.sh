# Programs as Debian ships them, stripped: their output is as it is without memlamp, and their
# functions and heap blocks are told.
. "$SRC/tests/cli/record.inc"
for program in gzip sqlite3 /usr/bin/python3; do
	command -v $program >/dev/null || { echo "no $program"; exit 77; }
done

# same NAME COMMAND...: records it; compares its output with that of a run without
same() {
	name=$1
	shift
	"$@" >native 2>&1
	native=$?
	memlamp record -q -o "$name.mlt" "$@" >recorded 2>&1
	is "$name: status" $? $native
	cmp native recorded
	memlamp info "$name.mlt" >"$name.info" || echo "$name.mlt cannot be read"
	memlamp info --csv functions "$name.mlt" | tr -d '\r' >functions
	memlamp info --csv regions "$name.mlt" | tr -d '\r' >regions
}

# hot OBJECT: does it make most references, and has its hottest function a name or an address?
hot() {
	awk -F, -v object="/$1\$" '
		NR > 1 { all += $1 }
		NR > 1 && $NF ~ object { own += $1; if ($1 > most) { most = $1; name = $7 } }
		END { print (2 * own > all ? "most" : "few") " in " (name ? "known" : "unknown") \
			" functions of its own" }' functions
}

# blocks LEAST: are there so many allocating call stacks, with several blocks each?
blocks() {
	awk -F, -v least="$1" '$6 == "heap" { n++; if ($10 > 1) several++ }
		END { print (n >= least ? "many heap contexts" : "few heap contexts: " n),
			(several ? "some" : "none") " with several blocks" }' regions
}

seq 5000 >numbers
same gzip gzip -nc numbers
hot gzip

same sqlite3 sqlite3 :memory: 'create table t(a, b);
	with recursive n(i) as (select 1 union all select i + 1 from n where i < 2000)
	insert into t select i, i * i from n; select sum(b) from t;'
hot 'libsqlite3.so[.0-9]*'
blocks 20

same python /usr/bin/python3 -S -E -c 'print(sum(len(str(i)) for i in range(2000)))'
hot 'python3[.0-9]*'
blocks 20
