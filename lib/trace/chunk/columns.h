/*
 * The columns of a chunk, in file order. Numbers wider than a byte are stored as planes:
 * all low bytes, then all second bytes, and so on. Each plane is compressed by itself.
 * D2 is the exception, a single plane of 2-byte numbers, because sequences of whole
 * numbers repeat in it.
 */
#pragma once

#include <stdint.h>

enum ml_chunk_column {
	ML_COLUMN_STATUS, /* 1 byte for four steps: enum ml_status, two bits each */
	ML_COLUMN_PATH,   /* 4 bytes, for ML_STATUS_PATH: the path, and ML_PATH_RARE */
	ML_COLUMN_EXIT,   /* 1 byte, for ML_STATUS_EXIT: the exit */
	ML_COLUMN_MODEL,  /* 1 byte for each state, at its first use: predict.h */
	ML_COLUMN_STRIDE, /* 8 bytes, for models with ML_PREDICT_STRIDE: the stride */
	ML_COLUMN_CODES,  /* 1 byte for four bases: enum ml_code, two bits each */
	ML_COLUMN_D1,     /* 1 byte: base - prediction, signed */
	ML_COLUMN_D2,     /* 2 bytes: the same */
	ML_COLUMN_D4,     /* 4 bytes: the same; INT32_MIN: the value is in D8 */
	ML_COLUMN_D8,     /* 8 bytes: the same */
	ML_COLUMN_RARE,   /* 1 byte, for paths with ML_PATH_RARE: enum ml_rare */
	ML_COLUMN_THREAD, /* 2 bytes */
	ML_COLUMN_CALLER, /* 4 bytes */
	ML_COLUMNS
};

/* How the path of a step was predicted. */
enum ml_status {
	ML_STATUS_FIRST,  /* the first guess is right */
	ML_STATUS_SECOND, /* the second guess is right */
	ML_STATUS_PATH,   /* both are wrong: PATH has the path */
	ML_STATUS_EXIT,   /* the first guess has the right shape: EXIT has the exit */
};
#define ML_PATH_RARE (1u << 31) /* thread or caller differ: RARE tells which */

/* The column that holds the residual of a base; NOT: the residual is 0. */
enum ml_code { ML_CODE_NOT, ML_CODE_D1, ML_CODE_D2, ML_CODE_D4 };

enum ml_rare { ML_RARE_THREAD = 1, ML_RARE_CALLER = 2 };

/* Bytes of an element, and number of planes of the column. */
static const uint8_t ml_column_bytes[ML_COLUMNS] = {
	1, 4, 1, 1, 8, 1, 1, 2, 4, 8, 1, 2, 4
};
static const uint8_t ml_column_planes[ML_COLUMNS] = { 1, 4, 1, 1, 8, 1, 1,
						      1, 4, 8, 1, 2, 4 };
enum { ML_COLUMN_PLANES_MAX = 8 };
