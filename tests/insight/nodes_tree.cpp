// kind: nodes
// region: *
// A tree of unique pointers, built by insertion, summed from left to right.
#include <cstdio>
#include <memory>
#ifndef V
#define V 0
#endif
struct Tree {
	unsigned key;
	long value;
	std::unique_ptr<Tree> left, right;
};

static void insert(std::unique_ptr<Tree> &t, unsigned key)
{
	std::unique_ptr<Tree> *at = &t;
	while (*at)
		at = key < (*at)->key ? &(*at)->left : &(*at)->right;
	at->reset(new Tree{ key, (long)key, nullptr, nullptr });
}

static std::unique_ptr<Tree> balanced(unsigned from, unsigned to)
{
	if (from >= to)
		return nullptr;
	unsigned mid = (from + to) / 2;
	auto left = balanced(from, mid);
	auto t = std::make_unique<Tree>(Tree{ mid, (long)mid, nullptr, nullptr });
	t->left = std::move(left);
	t->right = balanced(mid + 1, to);
	return t;
}

static long sum(const Tree *t)
{
	long s = 0;
	if (t->left)
		s += sum(t->left.get());
	s += t->value; // HERE
	if (t->right)
		s += sum(t->right.get());
	return s;
}

int main()
{
	std::unique_ptr<Tree> t;
	unsigned x = 1, n = V == 2 ? 60 : 6000;
	long s = 0;

	if (V == 1)
		t = balanced(0, n);
	else
		for (unsigned i = 0; i < n; i++)
			insert(t, (x = x * 1103515245 + 12345) >> 4);
	for (int r = 0; r < (V == 2 ? 3000 : 60); r++)
		s += sum(t.get());
	std::printf("%ld\n", s);
}
