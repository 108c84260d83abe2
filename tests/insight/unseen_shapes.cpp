// kind: nodes
// region: *
// A vector of pointers to objects of two classes, shuffled; drawn in the order of their
// allocation when mended.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <vector>
#ifndef V
#define V 0
#endif
struct Shape {
	virtual ~Shape() = default;
	virtual double area() const = 0;
};
struct Square : Shape {
	double side;
	explicit Square(double s) : side(s) {}
	double area() const override { return side * side; } // HERE
};
struct Disc : Shape {
	double radius, x, y;
	explicit Disc(double r) : radius(r), x(0), y(0) {}
	double area() const override { return 3.14 * radius * radius; } // HERE
};

__attribute__((noinline)) static double total(const std::vector<std::unique_ptr<Shape>> &all)
{
	double s = 0;
	for (const auto &shape : all)
		s += shape->area(); // HERE
	return s;
}

int main()
{
	const int n = V == 2 ? 80 : 8000;
	std::vector<std::unique_ptr<Shape>> all;
	unsigned x = 3;
	double s = 0;

	all.reserve(n);
	for (int i = 0; i < n; i++)
		if (i % 3)
			all.push_back(std::make_unique<Square>(i));
		else
			all.push_back(std::make_unique<Disc>(i));
	if (V != 1)
		for (int i = n - 1; i > 0; i--)
			std::swap(all[i], all[((x = x * 1103515245 + 12345) >> 8) % (i + 1)]);
	for (int r = 0; r < (V == 2 ? 4000 : 60); r++)
		s += total(all);
	std::printf("%g\n", s);
}
