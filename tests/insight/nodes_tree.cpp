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

/* A copy whose nodes lie in the order in which sum first visits them. */
static std::unique_ptr<Tree> copy(const Tree *t)
{
	if (!t)
		return nullptr;
	auto to = std::make_unique<Tree>(Tree{ t->key, t->value, nullptr, nullptr });
	to->left = copy(t->left.get());
	to->right = copy(t->right.get());
	return to;
}

static long sum(const Tree *t)
{
	long s = 0;
	if (t->left) // HERE
		s += sum(t->left.get()); // HERE
	s += t->value; // HERE
	if (t->right) // HERE
		s += sum(t->right.get());
	return s;
}

int main()
{
	std::unique_ptr<Tree> t;
	unsigned x = 1, n = V == 2 ? 60 : 4000;
	long s = 0;

	for (unsigned i = 0; i < n; i++)
		insert(t, (x = x * 1103515245 + 12345) >> 4);
	if (V == 1)
		t = copy(t.get());
	for (int r = 0; r < (V == 2 ? 3000 : 100); r++)
		s += sum(t.get());
	std::printf("%ld\n", s);
}
