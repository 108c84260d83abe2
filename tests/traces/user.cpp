/* memlamp.h is C++ too, with every warning on; and it may be included twice. */
#include <vector>

#include "memlamp.h"
#include "memlamp.h"

int main()
{
	std::vector<int> v(12);

	MEMLAMP_REGION(v.data(), v.size() * sizeof(int), sizeof(int), "table", 3, 4);
	MEMLAMP_BEGIN("fill");
	for (std::size_t i = 0; i < v.size(); i++) {
		MEMLAMP_STATE("i", i);
		v[i] = static_cast<int>(i);
	}
	MEMLAMP_END("fill");
	return v[5] - 5;
}
