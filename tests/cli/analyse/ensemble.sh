# Ensembles on the command line: members, files that grow and merge, what goes wrong.
show() {
	echo "\$ $*"
	"$@" 2>&1
	status=$?
	test $status = 0 || echo "(status $status)"
}

memlamp import -m 'sweep 0x10000 512 8 repeat 4' -o sweep.mlt 2>/dev/null
memlamp import -m 'matmul 16 8' -o matmul.mlt 2>/dev/null

# 4 KiB are swept four times: 2,048 references of 64 lines. Smaller LRU caches miss every
# line each time (256 misses), larger ones once (64).
show memlamp ensemble sweep.mlt -m 'L1 {1K..8K x2} full 4c | memory 104c'
show memlamp ensemble sweep.mlt -m 'L1 {1K,8K} full 4c | memory 104c' --measure miss --against 8K
show memlamp ensemble sweep.mlt -m 'L1 {1K,8K} full' --weights 1,101 --csv members
show memlamp ensemble sweep.mlt -m 'L1 {1K,8K} full 4c | memory 104c' --csv series --cells 2 --window 1
show memlamp ensemble sweep.mlt -m 'L1 {2K..6K +1K} full {lru,mru,fifo}' --dry-run

# A file is extended by what it does not have, and merged with others.
show memlamp ensemble -o a.mle sweep.mlt -m 'L1 {1K,2K} full'
show memlamp ensemble a.mle -m 'L1 {2K,4K} full' --csv members
memlamp ensemble -o b.mle sweep.mlt -m 'L1 {1K,2K} full' -m 'L1 {2K,4K} full' >/dev/null
cmp a.mle b.mle && echo "step by step or at once: the same"
memlamp ensemble -o c.mle matmul.mlt -m 'L1 {1K,2K} full' >/dev/null
show memlamp ensemble a.mle c.mle -o d.mle --time normalised
memlamp ensemble -o e.mle --fresh sweep.mlt -m 'L1 {1K,2K} full' -j 1 >/dev/null
memlamp ensemble -o f.mle --fresh sweep.mlt -m 'L1 {1K,2K} full' -j 2 >/dev/null
cmp e.mle f.mle && echo "one thread or two: the same"

# A trace that was recorded anew takes the place of the older one.
memlamp import -m 'sweep 0x10000 256 8 repeat 4' -o sweep.mlt 2>/dev/null
show memlamp ensemble -o a.mle sweep.mlt -m 'L1 1K full' --csv members

# A run that is interrupted, if it is not done by then, goes on where it was, and ends
# with the same bytes.
memlamp import -m 'random 0x100000 16M 4000000 8 seed 3' -o long.mlt 2>/dev/null
set -- long.mlt -m 'L1 32K 8w {lru,fifo,srrip,random}' -m 'L1 {16K..1M x2} full'
memlamp ensemble -o whole.mle "$@" >/dev/null
for wait in 0.1 0.2 0.3; do
	memlamp ensemble -o parts.mle "$@" >/dev/null 2>parts.err &
	sleep $wait
	kill -INT $! 2>/dev/null
	wait $!
done
memlamp ensemble -o parts.mle "$@" >/dev/null
cmp whole.mle parts.mle && echo "interrupted or not: the same"

# Pictures
memlamp ensemble c.mle --plot c.svg >/dev/null
for kind in curves parameter spread workingset multiples; do
	memlamp ensemble c.mle --as $kind --plot - | python3 -c '
import sys, xml.dom.minidom
xml.dom.minidom.parseString(sys.stdin.read()); print(sys.argv[1], "is well-formed")' $kind
done

# Wrong input
show memlamp ensemble
show memlamp ensemble missing.mlt
show memlamp ensemble sweep.mlt -m 'L1 {1K..}'
show memlamp ensemble sweep.mlt -m 'L1 {1K,2000} 8w'
show memlamp ensemble sweep.mlt --measure speed
show memlamp ensemble c.mle --against 3K
show memlamp ensemble c.mle --second 2 --total 9K
show memlamp ensemble c.mle --time matched
show memlamp ensemble --build 'cc x.c' -o x.mle
show memlamp ensemble --build 'false {out}' -o x.mle
show memlamp ensemble sweep.mlt -m 'L1 1K full' -p x.svg --width 5
head -c 300 c.mle >cut.mle
show memlamp ensemble cut.mle
ln -s /dev/full full # what is no regular file is written to, never replaced
show memlamp ensemble sweep.mlt -m 'L1 1K full' -o full
show memlamp ensemble sweep.mlt -m 'L1 1K full' -o missing/x.mle
show memlamp ensemble sweep.mlt -m 'L1 1K full' -o matmul.mlt
echo "# an impossible combination is left out, and no other"
printf 'r 0\nr 64\n' >two.txt && memlamp import two.txt 2>/dev/null
memlamp ensemble -m 'L1 {1K,1000,2K} 4w' two.mlt 2>&1 | sed -n '1p;2p'
memlamp ensemble -m 'L1 {1000,1001} 4w' two.mlt; echo "status $?"
