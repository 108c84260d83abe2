# What cannot be recorded is said in a sentence; odd programs are recorded like all others.
. "$SRC/tests/cli/record.inc"

show() {
	echo "\$ $*"
	"$@"
	echo "(status $?)"
}

show memlamp record ./missing
show memlamp record missing-program
mkdir folder
show memlamp record ./folder
echo "int main(void) { }" >empty.c
chmod -x empty.c
show memlamp record ./empty.c
cp /bin/echo setuid
chmod u+s setuid
show memlamp record ./setuid
printf '\177ELF\1' >narrow
chmod +x narrow
show memlamp record ./narrow
show memlamp record -o missing/x.mlt true
show memlamp record -o folder true
ls
show memlamp record
show memlamp record --every 5 true
show memlamp record --every 0/5 true
show memlamp record --limit many true
show memlamp record --nonsense true

echo "an empty program:"
cc -g empty.c -o empty
record ./empty
memlamp info empty.mlt >/dev/null && echo readable
echo "a static one:"
cc -g -static empty.c -o static 2>/dev/null || cc -g -static-pie empty.c -o static
record ./static
memlamp info static.mlt >/dev/null && echo readable
echo "one that closes all files:"
build closer
record ./closer
is "references" "$(refs closer.mlt --region work)" 1000
echo "long arguments:"
long=$(head -c 100000 /dev/zero | tr '\0' x)
record -o long.mlt /bin/echo "$long" >out
is "output" "$(wc -c <out)" 100001
memlamp info --json long.mlt | awk '/"command":/ && length > 100000 { print "command kept" }'
echo "arguments that look like options:"
record -o x.mlt -- /bin/echo --tool=none -q --version ''
record -o x.mlt /bin/echo -o y.mlt --limit 5
echo "a script without an interpreter line:"
echo 'echo hello' >script
chmod +x script
record -o x.mlt ./script
echo "a script whose interpreter is missing:"
printf '#!/nowhere/sh\necho hello\n' >script
memlamp record -q -o x.mlt ./script >out 2>&1
echo "(status $?)"
echo "not a program:"
head -c 1000 /dev/urandom >noise
chmod +x noise
memlamp record -q -o x.mlt ./noise >out 2>&1
echo "(status $?)"

echo "a full disk:"
build loops
memlamp record -o /dev/full ./loops 300 2>err
echo "(status $?)"
sed 's/: 0 references.*/: .../' err
test -e /dev/full || echo "and now /dev/full is gone"

(
	ulimit -S -f 10
	memlamp record -o full.mlt ./loops 300 2>err
	echo "(status $?)"
)
sed 's/: [0-9].* references.*/: .../; s/byte [0-9]*/byte N/' err

echo "an old trace of that name stays when nothing is recorded:"
record -o old.mlt ./empty
memlamp record -q -o old.mlt ./noise >/dev/null 2>&1
memlamp info old.mlt >/dev/null && echo readable

echo "a program that becomes one that cannot be recorded:"
memlamp record -o x.mlt sh -c 'exec ./setuid as usual' 2>err
echo "(status $?)"
sed -n 's/.*x.mlt: \(warning\|the process\)/\1/p' err
echo "# a program that dies of a signal"
printf 'int main(void) { __builtin_trap(); }\n' >trap.c && gcc -g -o trap trap.c
memlamp record -o trap.mlt ./trap 2>&1 | grep -v references
printf 'int main(void) { *(volatile int *)0 = 1; }\n' >null.c && memlamp cc -o null null.c
memlamp record -o null.mlt ./null 2>&1 | grep ended
echo "# which is no whole run to compare with"
memlamp record -q -o whole.mlt true
memlamp diff -m plain whole.mlt null.mlt 2>&1 >/dev/null
memlamp diff -m plain whole.mlt whole.mlt 2>&1 >/dev/null
