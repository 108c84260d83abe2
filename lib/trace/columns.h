/*
 * The columns of a chunk, in file order. Numbers wider than a byte are stored
 * as planes: all low bytes, then all second bytes, and so on, each plane
 * compressed by itself.
 */
#pragma once

#include <stdint.h>

/* For each step that differs from the prediction: flags, and before it how many did not. */
enum ml_differs {
	ML_DIFFERS_PATH = 1,   /* the path is in PATH */
	ML_DIFFERS_SECOND = 2, /* the path is the second guess */
	ML_DIFFERS_BASES = 4,  /* there are CODES */
	ML_DIFFERS_THREAD = 8,
	ML_DIFFERS_CALLER = 16,
	ML_DIFFERS_FLAGS = 31,
};

enum ml_column {
	ML_COLUMN_RUN,    /* varint: steps as predicted before a step that differs */
	ML_COLUMN_FLAGS,  /* 1 byte: enum ml_differs */
	ML_COLUMN_PATH,   /* 4 bytes */
	ML_COLUMN_CODES,  /* 2 bits a base, four a byte: 0 as predicted, 1 to 3 see below */
	ML_COLUMN_D2,     /* 2 bytes: code 1, base - prediction, signed */
	ML_COLUMN_D4,     /* 4 bytes: code 2 */
	ML_COLUMN_D8,     /* 8 bytes: code 3 */
	ML_COLUMN_THREAD, /* 2 bytes */
	ML_COLUMN_CALLER, /* 4 bytes */
	ML_COLUMNS
};

static const uint8_t ml_column_bytes[ML_COLUMNS] = { 1, 1, 4, 1, 2, 4, 8, 2, 4 };
enum { ML_COLUMN_BYTES_MAX = 8 };
