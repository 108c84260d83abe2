// kind: padding or stride
// region: image
// A filter with twelve rows in use, in an image whose rows have 2048 bytes.
#include <cstdio>
#include <vector>
#ifndef V
#define V 0
#endif
static const int w = 512, h = V == 2 ? 6 : 24, taps = V == 2 ? 4 : 12, pitch = w + (V == 1 ? 16 : 0);

__attribute__((noinline)) static void filter(const std::vector<float> &image, std::vector<float> &out)
{
	for (int y = 0; y + taps <= h; y++)
		for (int x = 0; x < w; x++) {
			float s = 0;
			for (int k = 0; k < taps; k++)
				s += image[(y + k) * pitch + x]; // HERE
			out[x] += s;
		}
}

int main()
{
	std::vector<float> image(pitch * h), out(w);
	float s = 0;

	for (int i = 0; i < pitch * h; i++)
		image[i] = i % 13;
	for (int r = 0; r < 4; r++)
		filter(image, out);
	for (float x : out)
		s += x;
	std::printf("%g\n", s);
}
