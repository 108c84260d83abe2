/* Accessors of a library's own header, as in gsl_matrix_double.h. */
struct matrix {
	int rows, columns, width;
	double *data;
};

extern int bad_index(const char *what);

static inline double matrix_get(const struct matrix *m, int i, int j)
{
#if 1
	if (i >= m->rows) {
		bad_index("row");
	}
#endif
	return m->data[i * m->width + j];
}

static inline void matrix_set(struct matrix *m, int i, int j, double x)
{
	m->data[i * m->width + j] = x;
}

/* no accessor: it has a loop, and so its line says what happens */
static inline double matrix_row_sum(const struct matrix *m, int i)
{
	double sum = 0;
	for (int j = 0; j < m->columns; j++)
		sum += m->data[i * m->width + j]; /* >> - */
	return sum;
}
