#include "record/symbols/call_order.h"
#include "tests/test.h"

TEST(calls_of_a_statement_are_numbered_as_they_come)
{
	struct ml_map calls = { 0 };

	CHECK_EQ(ml_call_order_find(&calls, 7, 0x30), 0);
	CHECK_EQ(ml_call_order_find(&calls, 7, 0x10), 1);
	CHECK_EQ(ml_call_order_find(&calls, 8, 0x50), 0); /* another statement */
	CHECK_EQ(ml_call_order_find(&calls, 7, 0x20), 2);
	CHECK_EQ(ml_call_order_find(&calls, 7, 0x30), 0); /* the loop comes again */
	CHECK_EQ(ml_call_order_find(&calls, 7, 0x20), 2);
	ml_map_release(&calls);
}
