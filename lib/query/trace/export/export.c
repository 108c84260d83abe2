#include "lib/query/trace/export/export.h"

#include "lib/query/trace/export/export_callgrind.h"
#include "lib/query/trace/export/export_sarif.h"
#include "lib/query/trace/export/export_time.h"

const struct ml_export_form ml_export_forms[ML_EXPORT_FORMS] = {
	[ML_EXPORT_CALLGRIND] = { "callgrind", ".callgrind", ml_export_callgrind },
	[ML_EXPORT_SARIF] = { "sarif", ".sarif", ml_export_sarif },
	[ML_EXPORT_SPEEDSCOPE] = { "speedscope", ".speedscope.json",
				   ml_export_speedscope },
	[ML_EXPORT_CHROME] = { "chrome", ".trace.json", ml_export_chrome },
};
