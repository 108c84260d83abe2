#include "lib/cache/machine/access.h"

const char *const ml_cause_names[ML_CAUSES] = {
	[ML_CAUSE_COLD] = "cold",
	[ML_CAUSE_CAPACITY] = "capacity",
	[ML_CAUSE_CONFLICT] = "conflict",
	[ML_CAUSE_SHARING] = "sharing",
	[ML_CAUSE_FALSE_SHARING] = "false_sharing",
	[ML_CAUSE_UNKNOWN] = "unknown",
};
