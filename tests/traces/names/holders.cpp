// Blocks are called by the variable that holds them: containers of the standard library
// and of one's own, members of structures that a function returns, static members.
#include <cstdlib>
#include <deque>
#include <list>
#include <memory>
#include <vector>

template <typename T> class Matrix
{
    public:
	Matrix(int rows, int columns)
	    : data(new T[rows * columns]()), // -> A.data|B.data|C->data? double|float *
	      width(columns)
	{
	}
	~Matrix() { delete[] data; }
	T &operator()(int i, int j) { return data[i * width + j]; }

    private:
	T *data;
	int width;
};

struct Atoms {
	std::unique_ptr<double[]> position;
	double *velocity;
};

struct Simulation {
	Atoms *atoms;
	std::vector<Atoms> cells;
	static std::vector<int> counts;
};

std::vector<int> Simulation::counts(70); // -> Simulation::counts vector<int>|int *
static std::vector<double> grid;

static Atoms *make_atoms(int n)
{
	Atoms *a = new Atoms;

	a->position = std::make_unique<double[]>(n * 3); // -> s.atoms->position double 8
	a->velocity = (double *)malloc(n * 24); // -> s.atoms->velocity double 8
	return a;
}

static void *aligned(size_t n)
{
	void *p = nullptr;

	if (posix_memalign(&p, 64, n))
		abort();
	return p;
}

int main(int argc, char **)
{
	Matrix<double> A(60, 60), B(60, 60);
	Matrix<float> *C = new Matrix<float>(30, 30); // -> C Matrix<float> 16
	Simulation s;
	double sum = 0;

	s.atoms = make_atoms(100); // -> s.atoms Atoms 16
	s.cells.resize(10);        // -> s.cells Atoms 16
	std::deque<int> queue;     // -> queue *
	std::list<double> chain;
	for (int i = 0; i < 500; i++) {
		queue.push_back(i); // -> queue *
		chain.push_back(i); // -> chain *
	}
	grid.assign(300, 1.0); // -> grid double 8
	std::vector<std::vector<int>> comp(50); // -> comp vector<int> *
	for (auto &v : comp)
		v.resize(100 + argc); // -> comp[] int 4
	for (std::vector<int> &part :
	     comp)
		part.push_back(argc); // -> comp[] int 4
	double *buffer = static_cast<double *>(aligned(6400)); // -> buffer double 8
	std::vector<double> copy = grid; // -> copy? double 8
	for (int i = 0; i < 60; i++)
		for (int j = 0; j < 60; j++) {
			A(i, j) = i * argc;
			B(j, i) = A(i, j);
			(*C)(i / 2, j / 2) = (float)B(i / 2, j / 3);
			sum += (*C)(j / 2, i / 3);
		}
	for (int i = 0; i < 100; i++) {
		s.atoms->position[i] = s.atoms->velocity[i] = i;
		buffer[i] = sum + queue[i] + copy[i] + Simulation::counts[i % 70];
	}
	for (auto &v : comp)
		sum += v[argc];
	for (double x : chain)
		sum += x;
	/* without the destructors of static objects, which nothing of the program calls */
	std::_Exit(sum + buffer[3] + (s.cells[argc].velocity != nullptr) < 0);
}
