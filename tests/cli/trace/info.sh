# What is in a trace, as text, JSON and CSV; what is missing stands first.
show() {
	echo "\$ $*"
	"$@"
	status=$?
	test $status = 0 || echo "(status $status)"
}

# Dates and the size of the file are of no interest here.
masked() {
	sed 's/imported [-0-9]* [0-9:]*/imported DATE/; s/in a file of .*/in a file of SIZE/
		s/"created": [0-9]*/"created": 0/; s/_bytes": [0-9]*,$/_bytes": 0,/
		s/byte [0-9]* of [0-9]*/byte N of N/'
}

cat >a.txt <<END
global table 0x4000 4096 4 1024
region A 0x1000 128 8 4 4
r0x1000+8*16 w0x1028@2
begin "phase 1"
begin inner
w 0x1020 4 1 src/a.c:12 f(int)
r 0x5008 8 1 0x401136 memcpy [libc.so.6] <- src/a.c:14 main
end inner
alloc buf 0x5000 64
r 0x5008 8 1 b.c:14 main
free 0x5000
gap 7 sampling
gap ? lost
state i -5
mark here
r 0x5008 8 1 ? nothing, "known"
end "phase 1"
END
memlamp import a.txt 2>/dev/null
show memlamp info a.mlt | masked
show memlamp info --json a.mlt | masked
show memlamp info --csv regions --top 1 a.mlt
show memlamp info --csv phases a.mlt
show memlamp info --csv colours a.mlt

# A file that was cut off, or damaged, says so and shows what is left.
memlamp import --model 'random 0 1000000 3000000 8' -o big.mlt 2>/dev/null
size=$(wc -c <big.mlt)
head -c $((size - 30)) big.mlt >cut.mlt
show memlamp info cut.mlt | masked | head -n 5
at=$((size / 4 * 3))
(head -c $at big.mlt; printf ruined; tail -c +$((at + 7)) big.mlt) >bad.mlt
memlamp info bad.mlt >out || echo "(status $?)"
sed 's/byte [0-9]*/byte N/; 3,$d' out
show memlamp info a.txt
show memlamp info nothing.mlt

echo '# nothing' >empty.txt
memlamp import --format text -o empty.mlt empty.txt 2>/dev/null
show memlamp info empty.mlt | masked
