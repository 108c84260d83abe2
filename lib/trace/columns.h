/*
 * The columns of a chunk, in file order. Numbers wider than a byte are stored
 * as planes: all low bytes, then all second bytes, and so on, each plane
 * compressed by itself.
 */
#pragma once

#include <stdint.h>

enum ml_column {
	ML_COLUMN_STATUS, /* 1 byte a step: enum ml_status */
	ML_COLUMN_PATH,   /* 4 bytes: the path, where the status says so */
	ML_COLUMN_EXIT, /* 1 byte: which exit of the first guess's shape, where it says so
			 */
	ML_COLUMN_CODES, /* 1 byte for four bases: codes of the bases from the third on */
	ML_COLUMN_D2,    /* 2 bytes: base - prediction, signed */
	ML_COLUMN_D4,    /* 4 bytes: the same; INT32_MIN: see D8 */
	ML_COLUMN_D8,    /* 8 bytes: the same */
	ML_COLUMN_RARE,  /* 1 byte: enum ml_rare, where the status says so */
	ML_COLUMN_THREAD, /* 2 bytes */
	ML_COLUMN_CALLER, /* 4 bytes */
	ML_COLUMNS
};

/* How a step differs from the prediction; 0: not at all. */
enum ml_status {
	ML_STATUS_SECOND = 1, /* the path is the second guess */
	ML_STATUS_PATH = 2,   /* the path is in PATH */
	ML_STATUS_EXIT = 3,   /* it is another exit of the first guess's shape, in EXIT */
	ML_STATUS_WHICH = 3,  /* mask of these */
	ML_STATUS_RARE = 4,   /* thread or caller are new */
	ML_STATUS_CODES = 8,  /* there are CODES for all bases from the third on */
	ML_STATUS_CODE0 = 4,  /* shift of the first base's code, two bits */
	ML_STATUS_CODE1 = 6,  /* of the second base's */
};

/* How a base differs from the prediction. */
enum ml_code {
	ML_CODE_NOT,
	ML_CODE_NEAR,  /* by what is in D2 */
	ML_CODE_CHAIN, /* it is the second guess */
	ML_CODE_FAR,   /* by what is in D4 or D8 */
};

enum ml_rare { ML_RARE_THREAD = 1, ML_RARE_CALLER = 2 };

static const uint8_t ml_column_bytes[ML_COLUMNS] = { 1, 4, 1, 1, 2, 4, 8, 1, 2, 4 };
enum { ML_COLUMN_BYTES_MAX = 8 };
