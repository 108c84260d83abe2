# A library without debug information allocates a header and the data behind it; the
# program has debug information. The header has the type of the variable, the data have none.
cat >lib.c <<'END'
#include <stdlib.h>
struct matrix { size_t rows, columns, pitch; double *data; void *owner; int kind; };
struct matrix *matrix_alloc(size_t n)
{
	struct matrix *m = malloc(sizeof(*m));

	m->rows = m->columns = m->pitch = n;
	m->data = malloc(n * n * sizeof(double));
	return m;
}
END
cat >main.c <<'END'
#include <stddef.h>
struct matrix { size_t rows, columns, pitch; double *data; void *owner; int kind; };
struct matrix *matrix_alloc(size_t n);

int main(void)
{
	struct matrix *A = matrix_alloc(48);

	for (size_t i = 0; i < A->rows * A->columns; i++)
		A->data[i] = (double)i;
	return 0;
}
END
gcc -O1 -fno-inline -c lib.c && gcc -O1 -g -o static main.c lib.o &&
	gcc -O1 -shared -fPIC -o libm.so lib.c && gcc -O1 -g -o shared main.c ./libm.so || exit 1
for program in static shared; do
	memlamp record -q -o t.mlt "./$program"
	echo "$program: region, type, bytes of an element, bytes"
	memlamp info --csv=regions t.mlt | awk -F, '$5 == "A" && $6 == "heap" { print $5, $7, $8, $9 }' | sort
done
