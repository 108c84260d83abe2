// Allocations of C++. "-> name type bytes" is what the test expects.
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace sim
{
struct Particle {
	double x, y;
};

class Grid
{
	std::vector<Particle> cells;
	double *raw;

    public:
	Grid(int n)
	    : cells(n), raw(new double[n]) // -> cells|raw *
	{
	}
	void grow() { cells.resize(100); } // -> cells Particle 16
};
}

int main(int argc, char **)
{
	std::vector<double> v(argc);         // -> v double 8
	v.push_back(3);                      // -> v double 8
	auto *p = new double[argc];          // -> p double 8
	std::vector<int> list{1, 2, 3};      // -> list int 4
	auto u = std::make_unique<float[]>(7); // -> u float 4
	std::map<std::string, int> m;
	m["x"] = 3;                          // -> m *
	auto *one = new sim::Particle;       // -> one Particle 16
	sim::Grid g(4);
	g.grow();
	return (int)(v[0] + p[0] + u[0] + one->x + list[0]) + m["x"];
}
