# The demo runs from start to end and says where everything is.
test -d "$BUILD/valgrind" || { echo "the Valgrind tool is not built"; exit 77; }
valgrind --version >/dev/null 2>&1 || { echo "no valgrind"; exit 77; }

memlamp demo >out 2>err || { cat out err; exit 1; }
grep '^\$' out | sed "s,$BUILD,BUILD,"
grep -E '^ +64,160,000 |^ +128,000,000 ' out | sed 's/matmul.c:[0-9]*/matmul.c:LINE/'
sed 's/[0-9,.]* [KMG]iB.*/SIZE/; s/[0-9,]* references/N references/' err
ls memlamp-demo

memlamp demo --output /dev/null/no
echo "status $?"
