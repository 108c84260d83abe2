# memlamp flow and memlamp view with files that are no programs: a sentence, never a crash.
show() {
	echo "\$ $*"
	# libclang leaks where it makes no translation unit
	ASAN_OPTIONS=detect_leaks=0 "$@" 2>&1
	status=$?
	test $status = 0 || echo "(status $status)"
}

: >empty.c
: >empty.sdfg
: >empty.sdfgz
printf 'root:x:0:0:root:/root:/bin/bash\n' >passwd
printf '\001\377\000\200bytes\n' >bytes.c
printf '\001\377\000\200bytes\n' >bytes.sdfg
printf '\037\213\010\000garbage' >bytes.sdfgz
printf 'void f(int n, double *a) { for (int i = 0; i < n; i++ a[i] = 0; }\n' >syntax.c
printf '#include "nothere.h"\nvoid f(void) {}\n' >header.c
printf 'int x;\n' >nofunction.c
printf 'int f(int x) { return x; }\n' >noarray.c
printf '{"type": "SDFG"}' >nonodes.sdfg
printf '[1, 2]' >list.sdfg
head -c 2000 "$SRC/tests/sdfg/spmv.sdfg" >cut.sdfg
head -c 900 "$SRC/tests/sdfg/bert_encoder_dace1.0.2.sdfgz" >cut.sdfgz
mkdir folder
for f in empty.c empty.sdfg empty.sdfgz passwd bytes.c bytes.sdfg bytes.sdfgz syntax.c header.c \
	nofunction.c noarray.c nonodes.sdfg list.sdfg cut.sdfg cut.sdfgz folder missing.sdfg; do
	show memlamp flow $f
done
printf 'void f(int n, double *a) { for (int i = 0; i < n; i++) a[i] = 0; }\n' >f.c
for bad in n=-5 n=99999999999999999999 n; do
	show memlamp flow f.c --set $bad
done
show memlamp flow f.c --set n=8 --check passwd
show memlamp flow f.c --set n=8 --machine 'L1 none'
show memlamp flow f.c --set n=8 --order z
show memlamp flow f.c --set n=8 --tile i=0
show memlamp flow f.c --code
show memlamp query syntax.c /api/flows/0
show memlamp query cut.sdfgz /api/flows/0
