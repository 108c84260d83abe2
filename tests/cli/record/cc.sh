# memlamp cc behaves as the compiler that it stands for.
. "$SRC/tests/cli/cc.inc"
clang --version >/dev/null 2>&1 || { echo "no clang"; exit 77; }

cat >main.c <<'END'
#include <stdio.h>
int sum(const int *numbers, int count);
static int numbers[100];
int main(void)
{
	for (int i = 0; i < 100; i++)
		numbers[i] = i;
	printf("%d\n", sum(numbers, 100));
	return 3;
}
END
cat >sum.c <<'END'
int sum(const int *numbers, int count)
{
	int s = 0;
	for (int i = 0; i < count; i++)
		s += numbers[i];
	return s;
}
END

# says TRACE: how often numbers was read and written
says() {
	echo "numbers: $(refs "$1" --region numbers --kind r) read," \
		"$(refs "$1" --region numbers --kind w) written, by $(backend "$1")"
}

echo "one call:"
memlamp cc -O1 main.c sum.c -o one && ./one
echo "status $?"
record -o one.mlt ./one
says one.mlt

echo "object by object, and an archive:"
memlamp cc -O1 -c main.c && memlamp cc -O1 -c sum.c -o sum.o && ar rc libsum.a sum.o
memlamp cc main.o -L. -lsum -o two
record -q -o two.mlt ./two
says two.mlt

echo "a shared library:"
memlamp cc -O1 -fPIC -shared sum.c -o libsum.so
memlamp cc -O1 main.c -L. -Wl,-rpath,"$PWD" -l:libsum.so -o three
record -o three.mlt ./three
says three.mlt

echo "a library that is loaded later, of a program that knows nothing of us too:"
cat >load.c <<'END'
#include <dlfcn.h>
#include <stdio.h>
static int numbers[100];
int main(void)
{
	void *library = dlopen("./libsum.so", RTLD_NOW);
	int (*sum)(const int *, int) = (int (*)(const int *, int))dlsym(library, "sum");
	printf("%d\n", sum(numbers, 100));
	return dlclose(library);
}
END
memlamp cc -O1 load.c -o load
record -o load.mlt ./load
says load.mlt
memlamp dump --site sum load.mlt | sed -n 's/.* \([^ ]*\) sum # numbers\[0\].*/\1/p' | sed 's/.*\///'
cc load.c -o plain && ./plain

echo "a response file, source from standard input:"
echo "-O1 main.c 'sum.c' -o four" >four.rsp
memlamp cc @four.rsp
record -o four.mlt ./four
says four.mlt
memlamp cc -O1 -o five sum.o -x c - <main.c
record -o five.mlt ./five
says five.mlt

echo "link-time optimization:"
memlamp cc -O2 -flto -c main.c && memlamp cc -O2 -flto -c sum.c && memlamp cc -O2 -flto main.o sum.o -o six
record -o six.mlt ./six
is "the loops are seen" "$(($(refs six.mlt --region numbers) > 0))" 1
ldd six | grep -c tsan

echo "clang:"
memlamp cc --cc=clang -O1 main.c sum.c -o seven && ./seven
record -o seven.mlt ./seven
says seven.mlt

echo "what is not linked:"
memlamp cc -E main.c | grep -c 'int sum'
memlamp cc -S -O1 sum.c -o - | grep -c 'call.*__tsan_read4'
memlamp cc -MM main.c
is "version" "$(memlamp cc --version)" "$(cc --version)"
is "search paths" "$(memlamp cc -print-prog-name=ld)" "$(cc -print-prog-name=ld)"

echo "one word, memlamp.h, and a script that leads back:"
cat >mark.c <<END
#include <memlamp.h>
int main(void) { MEMLAMP_MARK("here"); return 0; }
END
CC=memlamp-cc sh -c '"$CC" -o mark mark.c'
record -o mark.mlt ./mark
memlamp dump mark.mlt | grep -c 'mark "*here'
printf '#!/bin/sh\nexec memlamp-cc "$@"\n' >back.sh && chmod +x back.sh
CC=./back.sh ./back.sh -o back mark.c && ./back && echo "ends"

echo "failures:"
memlamp cc -c none.c 2>/dev/null
echo "status $?"
memlamp cc -static main.c sum.c
echo "status $?"
memlamp cc --cc=no-such-compiler main.c
echo "status $?"
