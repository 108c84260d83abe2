/* Answers to the question whether another order of loops computes the same. */
#pragma once

enum ml_legality_kind {
	ML_LEGAL,         /* each element is read and written in the same order */
	ML_LEGAL_UPDATES, /* apart from updates (x = x + ...), which come in another order
			   */
	ML_ILLEGAL,
	ML_LEGALITY_OPEN, /* places or conditions depend on data, or it would take too
			     long */
};

extern const char *const ml_legality_names[]; /* "legal", "updates", "illegal", "open" */
