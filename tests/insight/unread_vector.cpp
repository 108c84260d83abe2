// kind: never read
// region: forces
// Two results are made in each pass; only one of them is used.
#include <cstdio>
#include <vector>
#ifndef V
#define V 0
#endif
__attribute__((noinline)) static void move(const float *place, float *next, int n)
{
	for (int i = 1; i + 1 < n; i++)
		next[i] = place[i] + (place[i - 1] + place[i + 1]) * 0.01f;
}

__attribute__((noinline)) static void push(float *forces, int n)
{
	for (int i = 0; i < n; i++) // HERE
		forces[i] = 0.25f * (float)i; // HERE
}

int main()
{
	enum { N = V == 2 ? 500 : 50000, PASSES = V == 2 ? 300 : 20 };
	std::vector<float> place(N, 1.0f);
	std::vector<float> next(N);
	std::vector<float> forces(V == 1 ? 1 : N);
	double sum = 0;

	for (int t = 0; t < PASSES; t++) {
		move(place.data(), next.data(), N);
		place.swap(next);
		if (V != 1)
			push(forces.data(), N);
		if (V == 2)
			for (float f : forces)
				sum += f;
	}
	for (float x : place)
		sum += x;
	printf("%g\n", sum);
}
