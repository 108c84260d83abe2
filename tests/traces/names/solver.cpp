// Containers of one's own, as in MiniSat: blocks are called by the variable that holds the
// container, whichever of its members allocates.
#include <cstdint>
#include <cstdlib>

template <class T> class vec
{
	T *data;
	int sz, cap;

    public:
	vec() : data(nullptr), sz(0), cap(0) {}
	explicit vec(int size) : data(nullptr), sz(0), cap(0) { growTo(size); }
	~vec() { free(data); }
	int size() const { return sz; }
	void capacity(int min_cap);
	void growTo(int size)
	{
		capacity(size);
		for (int i = sz; i < size; i++)
			new (&data[i]) T();
		sz = size;
	}
	void push(const T &elem)
	{
		if (sz == cap)
			capacity(sz + 1);
		data[sz++] = elem;
	}
	T &operator[](int i) { return data[i]; }
};

inline void *operator new(size_t, void *p) noexcept { return p; }

template <class T> void vec<T>::capacity(int min_cap)
{
	if (cap >= min_cap)
		return;
	int add = min_cap - cap + 1 > cap / 2 + 2 ? min_cap - cap + 1 : cap / 2 + 2;
	if (((data = (T *)::realloc((void *)data, (cap += add) * sizeof(T))) == nullptr))
		abort();
}

static inline void *xrealloc(void *ptr, size_t size)
{
	void *mem = realloc(ptr, size);
	if (mem == nullptr)
		abort();
	return mem;
}

template <class T> class RegionAllocator
{
	T *memory;
	uint32_t sz, cap;

    public:
	explicit RegionAllocator(uint32_t start) : memory(nullptr), sz(0), cap(0) { capacity(start); }
	void capacity(uint32_t min)
	{
		if (cap >= min)
			return;
		cap = min * 2;
		memory = (T *)xrealloc(memory, sizeof(T) * cap);
	}
	int alloc(int size)
	{
		capacity(sz + size);
		sz += size;
		return sz - size;
	}
	T &operator[](int r) { return memory[r]; }
};

class ClauseAllocator : public RegionAllocator<uint32_t>
{
    public:
	ClauseAllocator(uint32_t start) : RegionAllocator<uint32_t>(start) {}
	ClauseAllocator() : RegionAllocator<uint32_t>(50) {}
	int alloc(int size)
	{
		int cid = RegionAllocator<uint32_t>::alloc(size + 1);
		return cid;
	}
};

struct Watcher {
	int cref, blocker;
};

template <class Idx, class Vec> class OccLists
{
	vec<Vec> occs;
	vec<char> dirty;

    public:
	void init(const Idx &idx) { occs.growTo(idx + 1); dirty.growTo(idx + 1); }
	Vec &operator[](const Idx &idx) { return occs[idx]; }
};

struct Solver {
	vec<int> trail;
	vec<double> activity;
	OccLists<int, vec<Watcher>> watches;
	ClauseAllocator ca;
	bool verbose = false;
	Solver() : ca(100) {} // -> ca unsigned~int|uint32_t 4
	Solver(bool quiet) : verbose(!quiet) {} // -> ca unsigned~int|uint32_t 4
	void newVar(int v)
	{
		watches.init(2 * v + 1); // -> watches.occs&watches.dirty vec<Watcher>|char *
		activity.push(0);        // -> activity double 8
	}
	__attribute__((noinline)) int attach(int a, int b)
	{
		int cr = ca.alloc(2); // -> ca unsigned~int|uint32_t 4
		ca[cr] = a;
		Watcher w = { cr, b };
		watches[a].push(w); // -> watches[a] Watcher 8
		trail.push(cr);     // -> trail int 4
		return cr;
	}
};

int main(int argc, char **)
{
	Solver S, quiet(true);
	vec<float> scores(300); // -> scores? float 4
	int sum = 0;

	for (int v = 0; v < 200; v++)
		S.newVar(v);
	quiet.newVar(3);
	for (int i = 0; i < 2000; i++)
		sum += S.attach(i % 400, argc);
	scores[3] = (float)sum;
	return scores[4] + quiet.attach(1, 2) + S.trail.size() < 0;
}
