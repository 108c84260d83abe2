// kind: copies
// region: *
// A text that is made longer by s = s + word, which copies it each time.
#include <cstdio>
#include <string>
#ifndef V
#define V 0
#endif
__attribute__((noinline)) static size_t report(int lines)
{
	std::string text;
	if (V == 1)
		text.reserve(lines * 12);
	for (int i = 0; i < lines; i++) {
		const char word[] = { (char)('a' + i % 26), 'b', 'c', 'd', 'e', 'f', 'g', ' ', '\n', 0 };
		if (V == 1)
			text += word;
		else
			text = text + word; // HERE
	}
	size_t n = 0;
	for (char c : text)
		n += c == 'b';
	return n;
}

int main()
{
	size_t s = 0;
	for (int r = 0; r < (V == 2 ? 600 : 6); r++)
		s += report(V == 2 ? 4 : 1500);
	std::printf("%zu\n", s);
}
