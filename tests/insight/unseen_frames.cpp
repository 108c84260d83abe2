// kind: cleared
// region: *
// Each frame is a new vector of zeros that is then decoded as a whole; memory without
// zeros when mended. The look-alike counts, so it needs its zeros.
#include <cstdint>
#include <cstdio>
#include <memory>
#include <vector>
#ifndef V
#define V 0
#endif
static unsigned char codes[1024];
static uint32_t palette[256];

__attribute__((noinline)) static uint32_t show(size_t pixels, unsigned time)
{
	uint32_t sum = 0;
#if V == 0
	std::vector<uint32_t> frame(pixels); // HERE
#elif V == 1
	std::unique_ptr<uint32_t[]> frame(new uint32_t[pixels]);
#else
	std::vector<uint32_t> frame(pixels);
#endif
	for (size_t i = 0; i < pixels; i++)
		if (V == 2)
			frame[codes[(i + time) % 1024]]++;
		else
			frame[i] = palette[codes[(i + time) % 1024]];
	for (size_t i = 0; i < pixels; i++)
		sum = sum * 3 + frame[i];
	return sum;
}

int main()
{
	uint32_t s = 0;

	for (int i = 0; i < 1024; i++)
		codes[i] = (unsigned char)(i * 7);
	for (int i = 0; i < 256; i++)
		palette[i] = 0x10101u * i;
	for (unsigned t = 0; t < (V == 2 ? 300 : 20); t++)
		s ^= show(V == 2 ? 500 : 24000, t);
	std::printf("%u\n", s);
}
