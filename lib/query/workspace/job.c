#include "lib/query/workspace/job.h"

const char *ml_job_state_name(enum ml_job_state state)
{
	static const char *const names[] = {
		[ML_JOB_RUNNING] = "running",
		[ML_JOB_READY] = "ready",
		[ML_JOB_FAILED] = "failed",
		[ML_JOB_CANCELLED] = "cancelled",
	};

	return names[state];
}
