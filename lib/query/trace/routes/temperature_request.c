#include "lib/query/trace/routes/temperature_request.h"

#include "lib/analyse/passes/temperature.h"
#include "lib/query/workspace/request.h"

enum { WINDOW_MAX = 1 << 20 };

bool ml_temperature_request(const struct ml_request *q, struct ml_temperature_options *o,
			    struct ml_err *err)
{
	if (!ml_request_u64(q, "window", o->last, &o->last, err))
		return false;
	if (!o->last || o->last > WINDOW_MAX)
		return ml_fail(err, ML_USAGE, "window is 1 to %d references", WINDOW_MAX);
	return ml_temperature_scores(o, ml_request_text(q, "hit"),
				     ml_request_text(q, "miss"), err);
}
