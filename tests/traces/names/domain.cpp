// A Domain as in LULESH: arrays as members, allocated by whatever member function.
// "-> name type bytes" is what the test expects of the line.
#include <cstdlib>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

typedef double Real_t;
typedef int Index_t;

template <typename T> T *Allocate(size_t size)
{
	return static_cast<T *>(malloc(sizeof(T) * size));
}

template <typename T> void Release(T **ptr)
{
	free(*ptr);
	*ptr = nullptr;
}

class Domain
{
    public:
	Domain(Index_t n);
	~Domain();
	void AllocateElemPersistent(Index_t numElem)
	{
		m_nodelist.resize(8 * numElem); // -> m_nodelist int 4
		m_e.resize(numElem);            // -> m_e double 8
	}
	void AllocateNodePersistent(Index_t numNode);
	void AllocateGradients(Index_t numElem, Index_t allElem)
	{
		m_delv_xi.resize(numElem); // -> m_delv_xi double 8
		m_delx_xi = Allocate<Real_t>(allElem); // -> m_delx_xi Real_t 8
	}
	void DeallocateGradients()
	{
		m_delv_xi.clear();
		m_delv_xi.shrink_to_fit();
		Release(&m_delx_xi);
	}
	Real_t &x(Index_t i) { return m_x[i]; }
	Real_t &e(Index_t i) { return m_e[i]; }
	Index_t *nodelist(Index_t i) { return &m_nodelist[8 * i]; }
	Real_t work(Index_t n);

    private:
	std::vector<Real_t> m_x, m_e, m_w;
	std::vector<Real_t> m_delv_xi;
	Real_t *m_delx_xi;
	std::vector<Index_t> m_nodelist;
	Index_t **m_regElemlist;
	std::vector<std::vector<float>> m_tables;
	std::map<std::string, Real_t> m_named;
	friend void report(Domain *domain);
};

void Domain::AllocateNodePersistent(Index_t numNode)
{
	m_x.resize(numNode); // -> m_x double 8
}

Domain::Domain(Index_t n)
    : m_w(n * 3),           // -> m_w double 8
      m_regElemlist(nullptr)
{
	AllocateElemPersistent(n * n);
	AllocateNodePersistent((n + 1) * (n + 1));
	m_regElemlist = new Index_t *[3]; // -> m_regElemlist Index_t~* 8
	for (Index_t i = 0; i < 3; i++)
		this->m_regElemlist[i] = new Index_t[n * 2]; // -> this->m_regElemlist[i]|m_regElemlist[i] Index_t 4
	m_tables.emplace_back(n);  // -> m_tables *
	m_named["volume"] = n * n; // -> m_named *
	for (Index_t i = 0; i < n * n; i++)
		for (Index_t k = 0; k < 8; k++)
			nodelist(i)[k] = (i * 7 + k * 13) % ((n + 1) * (n + 1));
}

Domain::~Domain()
{
	for (Index_t i = 0; i < 3; i++)
		delete[] m_regElemlist[i];
	delete[] m_regElemlist;
}

Real_t Domain::work(Index_t n)
{
	Real_t sum = 0;

	AllocateGradients(n * n, n * n + 8);
	for (Index_t i = 0; i < n * n; i++) {
		for (Index_t k = 0; k < 8; k++)
			sum += x(nodelist(i)[k]);
		e(i) = m_delv_xi[i] = m_delx_xi[i] = sum;
	}
	m_w[1] = m_regElemlist[1][2] = (int)sum;
	DeallocateGradients();
	return sum;
}

static Real_t elements(Domain &domain, Index_t n)
{
	Real_t *determ = Allocate<Real_t>(n); // -> determ Real_t 8
	std::vector<float> list;
	std::unordered_map<int, int> counts;
	Real_t sum = 0;

	for (Index_t i = 0; i < n; i++) {
		determ[i] = domain.e(i);
		list.push_back((float)i); // -> list float 4
		counts[i] = i;            // -> counts *
	}
	for (Index_t i = 0; i < n; i++)
		sum += determ[i] + list[i] + counts[i];
	Release(&determ);
	return sum;
}

struct Particles {
	std::vector<double> px, py;
	Particles() : py(100) {} // -> py double 8
};

int main(int argc, char **)
{
	Domain *locDom = new Domain(argc + 5); // -> locDom Domain *
	Particles p;
	std::vector<std::vector<double>> rows(4, std::vector<double>(50)); // -> rows *
	std::string text(200, 'x'); // -> text *

	p.px.assign(100, 1.0);  // -> p.px double 8
	rows[2].resize(80);     // -> rows[2] double 8
	double sum = locDom->work(argc + 5) + elements(*locDom, 20) + p.px[3] + p.py[4];
	const char *raw = text.data();
	sum += rows[2][4] + raw[argc];
	delete locDom;
	return sum < 0;
}
