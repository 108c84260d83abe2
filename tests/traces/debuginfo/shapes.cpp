// Static storage of C++: namespaces, static members, std::array, bases.
#include <array>
#include <vector>

namespace sim
{
struct Point {
	double x, y;
};

struct Particle : Point {
	std::vector<int> list;
	static int count;
	void move()
	{
		static int calls;

		calls++;
		x += calls;
	}
};

int Particle::count;
Particle all[5];
std::array<std::array<double, 4>, 3> grid;
thread_local int own;
}

int main(int argc, char **)
{
	sim::all[argc].move();
	sim::grid[0][argc] = ++sim::Particle::count;
	return sim::own;
}
