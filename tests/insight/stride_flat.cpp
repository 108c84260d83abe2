// kind: stride
// region: image
// remedy: gain_exchanged
// A flat array whose rows are 520 bytes long is walked column by column.
#include <cstdio>
#include <memory>
#include <vector>
#ifndef V
#define V 0
#endif
static const int h = 400, w = 130;

__attribute__((noinline)) static void blur(const float *image, std::vector<float> &sum)
{
#if V == 1
	for (int y = 1; y < h; y++)
		for (int x = 0; x < w; x++)
			sum[x] += image[y * w + x] - image[(y - 1) * w + x];
#elif V == 2
	for (int y = 1; y < h; y++)
		for (int x = 0; x < w; x++)
			sum[x] += image[y * w + x];
#else
	for (int x = 0; x < w; x++)
		for (int y = 1; y < h; y++)
			sum[x] += image[y * w + x] - image[(y - 1) * w + x]; // HERE
#endif
}

int main()
{
	std::unique_ptr<float[]> image(new float[h * w]);
	std::vector<float> sum(w);
	double s = 0;

	for (int i = 0; i < h * w; i++)
		image[i] = i % 31;
	for (int r = 0; r < (V == 2 ? 1 : 6); r++)
		blur(image.get(), sum);
	for (float x : sum)
		s += x;
	std::printf("%g\n", s);
}
