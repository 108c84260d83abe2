// Bubble sort of the numbers given, in a std::vector or, behind "array", in an array.
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

static void bubblesort(std::vector<double> &v)
{
	for (unsigned end = v.size() - 1; end > 0; end--) {
		bool swapped = false;
		for (unsigned i = 0; i < end; i++) {
			if (v[i] > v[i + 1]) {
				std::swap(v[i], v[i + 1]);
				swapped = true;
			}
		}
		if (!swapped)
			break;
	}
}

static void bubblesort_array(double *v, unsigned n)
{
	for (unsigned end = n - 1; end > 0; end--) {
		bool swapped = false;
		for (unsigned i = 0; i < end; i++) {
			if (v[i] > v[i + 1]) {
				double t = v[i];
				v[i] = v[i + 1];
				v[i + 1] = t;
				swapped = true;
			}
		}
		if (!swapped)
			break;
	}
}

int main(int argc, char **argv)
{
	bool array = argc > 1 && !strcmp(argv[1], "array");
	std::vector<double> v;

	for (int i = array ? 2 : 1; i < argc; i++)
		v.push_back(atof(argv[i]));
	if (array)
		bubblesort_array(v.data(), v.size());
	else
		bubblesort(v);
	return v[0] > 100;
}
