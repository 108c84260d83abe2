#include "record/symbols/call_order.h"

#include <stdbool.h>

size_t ml_call_order_find(struct ml_map *calls, uint64_t statement, uint64_t ip)
{
	uint64_t all[] = { statement, 0 }, one[] = { statement, ip };
	bool is_new;
	uint64_t number = *ml_map_add(calls, ml_hash(one, sizeof(one)), &is_new);

	if (is_new) {
		number = (*ml_map_add(calls, ml_hash(all, sizeof(all)), NULL))++;
		*ml_map_add(calls, ml_hash(one, sizeof(one)), NULL) = number;
	}
	return (size_t)number;
}
