/*
 * The columns of a chunk, in file order. Numbers wider than a byte are stored
 * as planes: all low bytes, then all second bytes, and so on, each plane
 * compressed by itself. D2 is one plane of whole numbers: what repeats in it are
 * runs of them.
 */
#pragma once

#include <stdint.h>

enum ml_column {
	ML_COLUMN_STATUS, /* 1 byte for four steps: enum ml_status, two bits each */
	ML_COLUMN_PATH,   /* 4 bytes: the path, where the status says so; ML_PATH_RARE */
	ML_COLUMN_EXIT, /* 1 byte: which exit of the first guess's shape, where it says so
			 */
	ML_COLUMN_MODEL,  /* 1 byte a state, when it is first used: predict.h */
	ML_COLUMN_STRIDE, /* 8 bytes: its stride, where the model says so */
	ML_COLUMN_CODES,  /* 1 byte for four bases: enum ml_code, two bits each */
	ML_COLUMN_D1,     /* 1 byte: base - prediction, signed */
	ML_COLUMN_D2,     /* 2 bytes: the same */
	ML_COLUMN_D4,     /* 4 bytes: the same; INT32_MIN: see D8 */
	ML_COLUMN_D8,     /* 8 bytes: the same */
	ML_COLUMN_RARE,   /* 1 byte: enum ml_rare, where the path says so */
	ML_COLUMN_THREAD, /* 2 bytes */
	ML_COLUMN_CALLER, /* 4 bytes */
	ML_COLUMNS
};

/* How a step differs from the prediction; 0: not at all. */
enum ml_status {
	ML_STATUS_FIRST,  /* the path is the first guess */
	ML_STATUS_SECOND, /* the second */
	ML_STATUS_PATH,   /* it is in PATH, perhaps with ML_PATH_RARE */
	ML_STATUS_EXIT,   /* it is another exit of the first guess's shape, in EXIT */
};
#define ML_PATH_RARE (1u << 31) /* thread or caller are new: see RARE */

/* Where it stands by how much a base differs from the prediction. */
enum ml_code { ML_CODE_NOT, ML_CODE_D1, ML_CODE_D2, ML_CODE_D4 };

enum ml_rare { ML_RARE_THREAD = 1, ML_RARE_CALLER = 2 };

/* Bytes of an element, and planes that it is split into. */
static const uint8_t ml_column_bytes[ML_COLUMNS] = {
	1, 4, 1, 1, 8, 1, 1, 2, 4, 8, 1, 2, 4
};
static const uint8_t ml_column_planes[ML_COLUMNS] = { 1, 4, 1, 1, 8, 1, 1,
						      1, 4, 8, 1, 2, 4 };
enum { ML_COLUMN_PLANES_MAX = 8 };
