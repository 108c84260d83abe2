// Allocation through a pointer to a pointer, as in HPCCG.
struct Sparse {
	char *title;
	int local_nrow;
	int *nnz_in_row;
	double **ptr_to_vals_in_row;
	double *list_of_vals;
	int *list_of_inds;
};

void generate(int n, Sparse **A, double **x, double **b)
{
	*A = new Sparse; // -> A Sparse *
	(*A)->title = 0;
	(*A)->local_nrow = n;
	(*A)->nnz_in_row = new int[n];                // -> A->nnz_in_row int 4
	(*A)->ptr_to_vals_in_row = new double *[n];   // -> A->ptr_to_vals_in_row double~* 8
	(*A)->list_of_vals = new double[27 * n];      // -> A->list_of_vals double 8
	(*A)->list_of_inds = new int[27 * n];         // -> A->list_of_inds int 4
	*x = new double[n]; // -> x double 8
	*b = new double[n]; // -> b double 8
	for (int i = 0; i < n; i++) {
		(*A)->nnz_in_row[i] = 27;
		(*A)->ptr_to_vals_in_row[i] = (*A)->list_of_vals + 27 * i;
		for (int k = 0; k < 27; k++) {
			(*A)->list_of_vals[27 * i + k] = k == 13 ? 26 : -1;
			(*A)->list_of_inds[27 * i + k] = (i + k) % n;
		}
		(*x)[i] = i;
	}
}

static void product(Sparse *A, const double *x, double *y)
{
	for (int i = 0; i < A->local_nrow; i++) {
		double sum = 0;
		for (int k = 0; k < A->nnz_in_row[i]; k++)
			sum += A->ptr_to_vals_in_row[i][k] * x[A->list_of_inds[27 * i + k]];
		y[i] = sum;
	}
}

int main(int argc, char **)
{
	Sparse *A;
	double *x, *b;

	generate(100 + argc, &A, &x, &b);
	product(A, x, b);
	return b[3] > 1e9;
}
