# Projects of several files, with their own build systems: only the compiler is another.
. "$SRC/tests/cli/cc.inc"
for tool in cmake c++ gfortran; do
	$tool --version >/dev/null 2>&1 || { echo "no $tool"; exit 77; }
done

mkdir project
cat >project/grid.h <<'END'
void fill(double *grid, int n);
double total(const double *grid, int n);
END
cat >project/grid.c <<'END'
#include "grid.h"
void fill(double *grid, int n)
{
	for (int i = 0; i < n; i++)
		grid[i] = i;
}
END
cat >project/total.c <<'END'
#include "grid.h"
double total(const double *grid, int n)
{
	double s = 0;
	for (int i = 0; i < n; i++)
		s += grid[i];
	return s;
}
END
cat >project/main.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include "grid.h"
int main(void)
{
	double *grid = malloc(1000 * sizeof(*grid));
	fill(grid, 1000);
	printf("%g\n", total(grid, 1000));
	free(grid);
	return 0;
}
END

# says PROGRAM
says() {
	record -o app.mlt "$1"
	echo "grid: $(refs app.mlt --region grid) by $(backend app.mlt)"
}

echo "make:"
cat >project/Makefile <<'END'
CFLAGS = -O1
app: main.o grid.o libtotal.a
	$(CC) $(LDFLAGS) -o $@ main.o grid.o -L. -ltotal
libtotal.a: total.o
	$(AR) rc $@ $^
END
make -s -C project CC="memlamp cc" 2>&1 | grep -v '^make'
says project/app
make -s -C project -B AR=ar CC=cc 2>&1 | grep -v '^make'
CC="memlamp cc" make -s -e -C project -B 2>&1 | grep -v '^make'
says project/app

echo "cmake:"
cat >project/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.10)
project(app C)
set(CMAKE_BUILD_TYPE RelWithDebInfo)
add_library(total SHARED total.c)
add_executable(app main.c grid.c)
target_link_libraries(app total)
END
CC="memlamp cc" cmake -S project -B built >log 2>&1 || cat log
cmake --build built >log 2>&1 || cat log
says built/app

# As autoconf does it: the compiler is tried, with a program that is run.
echo "configure:"
cat >configure <<'END'
cat >conftest.c <<'SRC'
#include <stdio.h>
int main(void) { FILE *f = fopen("conftest.out", "w"); return ferror(f) || fclose(f) != 0; }
SRC
$CC -o conftest $CFLAGS conftest.c && ./conftest && test -e conftest.out && echo "compiler works"
echo 'char strlcpy_x(); int main(void) { return strlcpy_x(); }' >conftest.c
$CC -o conftest conftest.c 2>/dev/null && echo "finds what is not there"
$CC -E conftest.c >/dev/null && echo "preprocessor works"
exit 0
END
CC="memlamp cc" CFLAGS=-O2 sh ./configure

echo "c++:"
cat >v.cpp <<'END'
#include <cstdio>
#include <stdexcept>
#include <vector>
struct Base { virtual int f(int x) { return x; } virtual ~Base() {} };
struct Derived : Base { int f(int x) override { if (x > 998) throw std::runtime_error("end"); return x + 1; } };
int main()
{
	std::vector<long> numbers(1000);
	Base *b = new Derived;
	long s = 0;
	try {
		for (int i = 0; i < 1000; i++)
			numbers[i] = b->f(i);
	} catch (const std::runtime_error &e) {
		std::puts(e.what());
	}
	for (long n : numbers)
		s += n;
	std::printf("%ld\n", s);
	delete b;
}
END
memlamp c++ -O1 v.cpp -o v
record -o v.mlt ./v
is "the vector is written and read" "$(refs v.mlt --region numbers)" "$((1000 + 999 + 1000))"

echo "fortran:"
cat >s.f90 <<'END'
program sums
  integer, parameter :: n = 1000
  real(8), allocatable :: field(:)
  integer :: i
  allocate(field(n))
  do i = 1, n
    field(i) = i
  end do
  print '(f10.1)', sum(field)
end program
END
memlamp fc -O1 s.f90 -o s
record -o s.mlt ./s
is "the array is written and read" "$(memlamp info --csv regions s.mlt | grep -c '^2000,1000,1000,0,[^,]*,heap,')" 1
