# The demo runs from start to end and says where everything is.
test -d "$BUILD/valgrind" || { echo "the Valgrind tool is not built"; exit 77; }
valgrind --version >/dev/null 2>&1 || { echo "no valgrind"; exit 77; }

memlamp demo >out 2>err || { cat out err; exit 1; }
grep '^\$' out | sed "s,$BUILD,BUILD,"
# the finding is about B and the line that multiplies; the page was there
grep -c 'B is walked in large steps' out
grep -c 'sum += A\[i \* n + k\]' out
sed -n 's,^http://127.0.0.1:[0-9]*/?token=[0-9a-f]*$,ADDRESS,p' out
ls memlamp-demo

memlamp demo --output /dev/null/no
echo "status $?"
