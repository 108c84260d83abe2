/* new and new[]; a vector that grows. */
#include <vector>

struct item {
	long key;
	double value;
};

int main()
{
	item *single = new item;
	item *many = new item[20];
	std::vector<int> numbers;

	single->value = 1;
	many[7].value = 2;
	for (int i = 0; i < 100; i++)
		numbers.push_back(i);
	delete single;
	delete[] many;
	return numbers[3] - 3;
}
