# Names, command lines and words of foreign files cannot act on a terminal: no text for people
# has their control characters, neither an answer nor an error.
. "$SRC/tests/cli/cc.inc"
esc=$(printf '\033')
cat >a.c <<'END'
static volatile int work[100];
int main(void) { for (int i = 0; i < 100; i++) work[i] = i; return 0; }
END
memlamp cc -O1 -g a.c -o plain
memlamp record -q -o a.mlt -- ./plain "${esc}[2J" "$(printf 'a\tb\302\23331m')"
cat >b.txt <<END
region "${esc}[31mA" 4096 64 8
begin "${esc}[5mphase"
r 4096 8 1 "${esc}[41mx.c":12 "f${esc}[m"
end "${esc}[5mphase"
r4096+8*8
END
printf 'latency,na%sme\n1,%s[2J\n2,b\n' "$esc" "$esc" >s.csv
memlamp import b.txt 2>&1 | grep "$esc"
for command in 'info a.mlt' 'dump a.mlt' 'sim -m tiny-4sets a.mlt' 'info b.mlt' 'dump b.mlt' 'sim -m tiny-4sets b.mlt' \
	'diff -m tiny-4sets a.mlt b.mlt' 'cycles b.mlt' 'samples s.csv' 'plot b.mlt heat' \
	'query b.mlt /api/traces/0/regions' 'samples s.csv --columns x=hex'; do
	memlamp $command >out 2>&1
	echo "$command: $(grep -c "$esc" out) lines with escapes, $(test -s out && echo some) output"
done
memlamp info a.mlt | head -n 1
