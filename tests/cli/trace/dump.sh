# References as text, CSV and JSON; filters; what is dumped can be imported again.
show() {
	echo "\$ $*"
	"$@"
	status=$?
	test $status = 0 || echo "(status $status)"
}

cat >a.txt <<END
region A 0x1000 128 8 4 4
r0x1000 w0x1028@2
begin "phase 1"
w 0x1020 4 1 src/a.c:12 f(int)
r 0x5008 8 1 0x401136 memcpy [libc.so.6] <- src/a.c:14 main
alloc buf 0x5000 64
r 0x5008 8 1 b.c:14 main
free 0x5000
gap 7 sampling
state i -5
r 0x5008 8 1 ? nothing, "known"
end "phase 1"
END
memlamp import a.txt 2>/dev/null
show memlamp dump a.mlt
show memlamp dump --events a.mlt
show memlamp dump --format csv a.mlt
show memlamp dump --json a.mlt

show memlamp dump --from 3 --to 5 a.mlt
show memlamp dump --from 5 --events -n 1 a.mlt
show memlamp dump --count 2 a.mlt
show memlamp dump --thread 2 a.mlt
show memlamp dump --region A --kind w a.mlt
show memlamp dump --site a.c:12 a.mlt
show memlamp dump --site a.c a.mlt
show memlamp dump --site f a.mlt
show memlamp dump --site main a.mlt
show memlamp dump --region B --to 2 a.mlt

show memlamp dump --site a.c:13 a.mlt
show memlamp dump --from 8 a.mlt
show memlamp dump --kind x a.mlt
show memlamp dump --format xml a.mlt
show memlamp dump a.txt

# There and back.
memlamp dump --events a.mlt >1
memlamp import - -o b.mlt <1 2>/dev/null
memlamp dump --events b.mlt >2
cmp 1 2 && echo same text
memlamp dump --format csv a.mlt | memlamp import - -o c.mlt 2>/dev/null
memlamp dump --format csv a.mlt | cut -d, -f1-5 >1
memlamp dump --format csv c.mlt | cut -d, -f1-5 >2
cmp 1 2 && echo same numbers

# A reader that has enough is no reason to complain.
memlamp import --model 'sweep 0 100000 8' -o big.mlt 2>/dev/null
memlamp dump big.mlt | head -n 1
