// A library of templates as Eigen: storage in a base class, constructors that are templates.
#include <cstdlib>

template <typename T> struct Storage {
	T *data = nullptr;
	long rows = 0;
	void resize(long size, long r)
	{
		std::free(data);
		data = static_cast<T *>(std::malloc(sizeof(T) * size));
		rows = r;
	}
	~Storage() { std::free(data); }
};

template <typename Derived, typename T> class Plain
{
    public:
	void resize(long r, long c) { m_storage.resize(r * c, r); }
	T &operator()(long i, long j) { return m_storage.data[i + j * m_storage.rows]; }
	long rows() const { return m_storage.rows; }
	template <typename A, typename B> void init(A r, B c) { resize(r, c); }

    protected:
	Plain() {}
	template <typename Other> explicit Plain(const Other &x)
	{
		resize(x.rows(), x.rows());
		for (long i = 0; i < x.rows(); i++)
			for (long j = 0; j < x.rows(); j++)
				(*this)(i, j) = x(i, j);
	}
	Storage<T> m_storage;
};

template <typename T> class Dense : public Plain<Dense<T>, T>
{
	typedef Plain<Dense<T>, T> Base;

    public:
	template <typename A, typename B> Dense(const A &r, const B &c)
	{
		Base::template init<A, B>(r, c);
	}
	template <typename Other> Dense(const Other &x) : Base(x) {}
};

template <typename T> struct Sum {
	Dense<T> &a, &b;
	long rows() const { return a.rows(); }
	T operator()(long i, long j) const { return a(i, j) + b(i, j); }
};

int main(int argc, char **)
{
	Dense<double> A(60, 60); // -> A double 8
	Dense<double> B(60, 60L); // -> B double 8
	for (int i = 0; i < 60; i++)
		for (int j = 0; j < 60; j++)
			A(i, j) = B(i, j) = i + argc;
	Dense<double> total = Sum<double>{ A, B }; // -> total double 8
	return total(7, 3) == 1;
}
