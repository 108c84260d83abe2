// kind: nodes
// region: *
// A balanced tree whose nodes were allocated at random times; in the order of the walk when mended.
#include <cstdio>
#include <memory>
#include <utility>
#include <vector>
#ifndef V
#define V 0
#endif
struct Tree {
	long value;
	Tree *left, *right;
};

static Tree *build(std::vector<std::unique_ptr<Tree>> &nodes, const std::vector<int> &order, int &next,
		   int from, int to)
{
	if (from >= to)
		return nullptr;
	int mid = (from + to) / 2, k = next++;
	Tree *t = nodes[V == 1 ? k : order[k]].get();
	t->value = mid;
	t->left = build(nodes, order, next, from, mid);
	t->right = build(nodes, order, next, mid + 1, to);
	return t;
}

static long sum(const Tree *t)
{
	long s = 0;
	if (t->left) // HERE
		s += sum(t->left); // HERE
	s += t->value; // HERE
	if (t->right) // HERE
		s += sum(t->right);
	return s;
}

int main()
{
	const int n = V == 2 ? 60 : 5000;
	std::vector<std::unique_ptr<Tree>> nodes;
	std::vector<int> order(n);
	unsigned x = 1;
	int next = 0;
	long s = 0;

	for (int i = 0; i < n; i++) {
		nodes.push_back(std::make_unique<Tree>());
		order[i] = i;
	}
	for (int i = n - 1; i > 0; i--)
		std::swap(order[i], order[((x = x * 1103515245 + 12345) >> 8) % (i + 1)]);
	Tree *t = build(nodes, order, next, 0, n);
	for (int r = 0; r < (V == 2 ? 3000 : 90); r++) {
		__asm__ volatile("" ::: "memory"); // each sum is computed
		s += sum(t);
	}
	std::printf("%ld\n", s);
}
