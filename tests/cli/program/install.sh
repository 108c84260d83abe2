# What is installed works without the build tree, also where another valgrind is in the
# same folder.
DESTDIR=$PWD cmake --install "$BUILD" --prefix /usr >/dev/null || exit 1
PATH=$PWD/usr/bin:/usr/bin:/bin
ln -s /usr/bin/valgrind usr/bin/valgrind
memlamp record -o true.mlt true 2>/dev/null && echo "recorded"
memlamp sim -q true.mlt >/dev/null && echo "simulated"
ls usr/lib/memlamp/examples/matmul usr/share/doc/memlamp/docs/format.md usr/include/memlamp.h \
	usr/share/memlamp/memlamp.py
for name in $(memlamp --help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
	test -e usr/share/man/man1/memlamp-$name.1 || echo "memlamp $name has no manual page"
done
cat >a.c <<END
int main(void) { return 0; }
END
memlamp cc -o a a.c && memlamp record -o a.mlt ./a 2>/dev/null && echo "compiled and recorded"

# The demo as the README shows it, with a program whose sources were moved with it.
mkdir -p away/src
cp usr/lib/memlamp/examples/matmul.c away/src
(cd away/src && cc -O2 -g -I"$SRC/include" matmul.c -o ../../usr/lib/memlamp/examples/matmul)
rm -r away
memlamp demo >demo.out 2>&1 || cat demo.out
grep -c 'B is walked in large steps' demo.out
grep -c 'sum += A\[i \* n + k\]' demo.out
