# Traces of other tools become ours: detected, summarised, refused with file and line.
show() {
	echo "\$ $*"
	"$@"
	status=$?
	test $status = 0 || echo "(status $status)"
}

# Sizes of files differ with the version of zstd: only what they mean is fixed.
run() {
	show "$@" 2>&1 | sed 's/, [0-9.]* [KM]*i*B, [0-9.]* bytes a/, N bytes a/'
}

cat >a.lackey <<END
==7== Lackey, an example Valgrind tool
I  0023c792,5
 S be80199c,4
I  0023d476,7
 M 0025747c,1
END
run memlamp import a.lackey
show memlamp dump a.mlt
run memlamp import --fetch -o b.mlt a.lackey
show memlamp dump --kind f b.mlt

printf '2 0\n0 1000\n1 70f60890\n' | run memlamp import - -o c.mlt
show memlamp dump c.mlt

printf 'op,where,file,line\nload,0x1008,a.c,7\nstore,0x1010,"a,b.c",9\n' >d.csv
printf '# name base size elem rows cols\nA 0x1000 32 8 2 2\n' >d.regions
run memlamp import --columns addr=where,kind=1,file=3,line=4 --regions d.regions d.csv
show memlamp dump d.mlt

run memlamp import --model 'sweep 0x1000 2 8 m; chase 0 4 64 2' -o e.mlt
show memlamp dump -e e.mlt

# Wrong input: nothing is left, not even a part.
printf 'r0\nw8 x9\n' >f.txt
run memlamp import f.txt
printf ' L 10,4\n L 1z,4\n' | run memlamp import - -o f.mlt
run memlamp import --format pin f.txt
run memlamp import nowhere.txt
run memlamp import --model 'swep 1 2 3' -o f.mlt
run memlamp import -o nowhere/f.mlt a.lackey
echo f*

# Misuse.
run memlamp import
run memlamp import -
run memlamp import --model 'sweep 0 1 8'
cp a.lackey g.mlt
run memlamp import g.mlt
run memlamp import a.mlt
run memlamp import .
show memlamp import --help | sed -n "/^Formats/,\$p"
run memlamp import --size 16384 a.lackey
