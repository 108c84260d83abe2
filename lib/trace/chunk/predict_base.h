/*
 * The prediction of the value of a base. The chunk gives each state a model
 * (predictor_choice.h): a lag, a shift and a stride. The predictor subtracts the value `lag`
 * places before, shifted, and expects the difference to grow by the stride each time. A walk
 * over an array then has residuals of 0, and so has an array that is indexed like another
 * one (x[i] and y[i], with any i).
 *
 * This code runs for each base of each step and has no branches, because the processor
 * could not predict them.
 */
#pragma once

#include <stdint.h>

/*
 * A model in a byte: the lag (0: the value is compared with none) in the low bits, the
 * shift above ML_PREDICT_SHIFT, and ML_PREDICT_STRIDE if there is a stride.
 */
enum { ML_LAGS = 8, ML_LAG_SHIFTS = 4, ML_PREDICT_SHIFT = 4, ML_PREDICT_STRIDE = 0x80 };

struct ml_base_state {
	uint64_t next;   /* the difference that is expected next */
	uint64_t stride; /* by which it grows each time */
	int32_t back;    /* -lag: where the value is that the next is compared with */
	uint32_t times;  /* 1 << shift, the factor of that value; 0 without a lag */
};

/* The number that is subtracted from the value at v. v[-ML_LAGS] up to v[0] are readable.
 */
static inline uint64_t ml_predict_subtrahend(const struct ml_base_state *s,
					     const uint64_t *v)
{
	return v[s->back] * s->times;
}

static inline unsigned ml_predict_lag(unsigned model)
{
	return model & ((1u << ML_PREDICT_SHIFT) - 1);
}

static inline unsigned ml_predict_shift(unsigned model)
{
	return (model & ~(unsigned)ML_PREDICT_STRIDE) >> ML_PREDICT_SHIFT;
}

/* Sets up a state at its first use in the chunk, for the value at v. */
static inline void ml_predict_new(struct ml_base_state *s, unsigned model,
				  uint64_t stride, const uint64_t *v)
{
	int32_t lag = (int32_t)ml_predict_lag(model);

	*s = (struct ml_base_state){ .stride = stride,
				     .back = -lag,
				     .times = lag ? 1u << ml_predict_shift(model) : 0 };
	s->next = v[-1] - ml_predict_subtrahend(s, v);
}

/* Encoder: the residual of the value at v. */
static inline int64_t ml_predict_residual(struct ml_base_state *s, const uint64_t *v)
{
	uint64_t difference = *v - ml_predict_subtrahend(s, v);
	int64_t residual = (int64_t)(difference - s->next);

	s->next = difference + s->stride;
	return residual;
}

/* Decoder: the value at v from its residual. */
static inline void ml_predict_value(struct ml_base_state *s, uint64_t *v,
				    int64_t residual)
{
	uint64_t difference = s->next + (uint64_t)residual;

	*v = 0; /* without a lag the subtrahend reads v[0] and multiplies it by 0 */
	s->next = difference + s->stride;
	*v = difference + ml_predict_subtrahend(s, v);
}
