// kind: fields
// region: orders
// A report over orders reads two small members of a large class; kept apart when mended.
#include <cstdint>
#include <cstdio>
#include <vector>
#ifndef V
#define V 0
#endif
class Order {
	uint64_t id_;
	char customer_[40];
	uint32_t state_, amount_;
	char address_[64];

public:
	explicit Order(unsigned i) : id_(i), customer_{}, state_(i % 4), amount_(i % 1000), address_{} {}
	bool open() const { return state_ == 1; } // HERE
	uint32_t amount() const { return amount_; } // HERE
	uint64_t id() const { return id_; }
};
struct Slim {
	uint32_t state, amount;
};

__attribute__((noinline)) static long report(const std::vector<Order> &orders,
					     const std::vector<Slim> &slim)
{
	long sum = 0;
#if V == 1
	for (const auto &o : slim)
		if (o.state == 1)
			sum += o.amount;
#else
	for (const auto &o : orders) // HERE
		if (o.open()) // HERE
			sum += o.amount(); // HERE
#endif
	return sum;
}

int main()
{
	const unsigned n = V == 2 ? 60 : 2500;
	std::vector<Order> orders;
	std::vector<Slim> slim;
	long sum = 0;

	orders.reserve(n);
	slim.reserve(n);
	for (unsigned i = 0; i < n; i++) {
		orders.emplace_back(i);
		slim.push_back({ i % 4, i % 1000 });
	}
	for (int r = 0; r < (V == 2 ? 3000 : 70); r++) {
		__asm__ volatile("" ::: "memory"); // each call is made
		sum += report(orders, slim);
	}
	std::printf("%ld %lu\n", sum, (unsigned long)orders[5].id());
}
