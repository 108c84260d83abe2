// kind: sweep
// region: v
// A vector is updated again and again, from its start each time.
#include <cstdio>
#include <vector>
#ifndef V
#define V 0
#endif
static void step(std::vector<float> &v, float w, bool back)
{
	const int n = (int)v.size();
	if (back)
		for (int i = n - 1; i >= 0; i--)
			v[i] = v[i] * w + 1.0f;
	else
		for (int i = 0; i < n; i++)
			v[i] = v[i] * w + 1.0f; // HERE
}

int main()
{
	std::vector<float> v(V == 2 ? 1200 : 24000);
	float sum = 0;

	for (int t = 0; t < (V == 2 ? 600 : 40); t++)
		step(v, 0.5f + t * 0.01f, V == 1 && (t & 1)); // HERE
	for (float x : v)
		sum += x;
	std::printf("%g\n", sum);
}
