#include "lib/samples/read/csv_cells.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

bool ml_csv_missing(struct ml_scan_word w)
{
	static const char *const words[] = { "??", "?", "-", "NA", "N/A", "nan", "null" };

	if (w.size && *w.at >= '0' && *w.at <= '9')
		return false;
	for (size_t i = 0; w.size && i < sizeof(words) / sizeof(*words); i++)
		if (strlen(words[i]) == w.size && !strncasecmp(words[i], w.at, w.size))
			return true;
	return !w.size;
}

static bool read_real(struct ml_scan_word w, double *v)
{
	char text[64], *end;

	if (w.size >= sizeof(text) || !w.size || !strchr("0123456789.-+", *w.at))
		return false;
	memcpy(text, w.at, w.size);
	text[w.size] = 0;
	if (strpbrk(text, "xXnN"))
		return false;
	*v = strtod(text, &end);
	return end == text + w.size && *v - *v == 0;
}

static bool prefixed(struct ml_scan_word w)
{
	return w.size > 2 && w.at[0] == '0' && (w.at[1] | 0x20) == 'x';
}

static bool read_hex(struct ml_scan_word w, uint64_t *v)
{
	if (prefixed(w))
		w = (struct ml_scan_word){ w.at + 2, w.size - 2 };
	return ml_scan_hex(w.at, w.at + w.size, v) == w.at + w.size;
}

void ml_csv_look(struct ml_csv_seen *n, struct ml_scan_word w)
{
	uint64_t v;
	double real;
	const char *end = w.at + w.size;

	if (ml_csv_missing(w))
		n->missing++;
	else if (ml_scan_decimal(w.at, end, &v) == end)
		n->decimal++;
	else if (prefixed(w) && read_hex(w, &v))
		n->prefixed++;
	else if (*w.at == '-' && ml_scan_decimal(w.at + 1, end, &v) == end &&
		 v <= 1ull << 63)
		n->negative++;
	else if (ml_scan_hex(w.at, end, &v) == end) {
		if (read_real(w, &real)) {
			n->either++;
			return;
		}
		n->hex++;
		for (const char *p = w.at; p < end; p++)
			if (*p >= '0' && *p <= '9') {
				n->digit++;
				break;
			}
	} else if (read_real(w, &real))
		n->real++;
	else
		n->other++;
}

void ml_csv_seen_add(struct ml_csv_seen *n, const struct ml_csv_seen *x)
{
	n->decimal += x->decimal;
	n->hex += x->hex;
	n->digit += x->digit;
	n->either += x->either;
	n->prefixed += x->prefixed;
	n->negative += x->negative;
	n->real += x->real;
	n->missing += x->missing;
	n->other += x->other;
}

enum ml_csv_type ml_csv_choose(const struct ml_csv_seen *n, enum ml_samples_role role)
{
	bool number = role == ML_SAMPLES_TIME || role == ML_SAMPLES_ADDRESS ||
		      role == ML_SAMPLES_IP || role == ML_SAMPLES_LATENCY ||
		      role == ML_SAMPLES_CPU || role == ML_SAMPLES_SOURCE_WORD;
	bool address = role == ML_SAMPLES_TIME || role == ML_SAMPLES_ADDRESS ||
		       role == ML_SAMPLES_IP;
	uint64_t plain = n->decimal + n->negative + n->prefixed,
		 all = plain + n->hex + n->either + n->real + n->other,
		 share = number ? 2 : 100, whole = n->negative + n->real;

	bool named = role == ML_SAMPLES_FUNCTION || role == ML_SAMPLES_VARIABLE ||
		     role == ML_SAMPLES_FILE || role == ML_SAMPLES_LEVEL;

	if (n->other * share > all || all == n->other)
		return ML_CSV_NAMES;
	if (named && n->hex) /* f1 and face are functions, not numbers */
		return ML_CSV_NAMES;
	if (n->prefixed && !whole && !n->decimal)
		return (n->hex + n->either + n->other) * share > all ? ML_CSV_NAMES
								     : ML_CSV_HEX;
	/* Letters in some cells of a column whose cells are all hexadecimal digits. */
	if (n->hex && !whole && !n->prefixed &&
	    (address || (n->digit == n->hex && n->hex * share > all)))
		return ML_CSV_HEX;
	if ((n->hex + n->other) * share > all)
		return ML_CSV_NAMES;
	return n->real || n->either ? ML_CSV_REAL
	       : n->negative        ? ML_CSV_NEGATIVE
				    : ML_CSV_DECIMAL;
}

bool ml_csv_value(enum ml_csv_type type, struct ml_scan_word w, uint64_t *bits)
{
	const char *end = w.at + w.size;
	uint64_t v = 0;
	double real;

	switch (type) {
	case ML_CSV_DECIMAL:
		if (prefixed(w))
			return read_hex(w, bits);
		return ml_scan_decimal(w.at, end, bits) == end;
	case ML_CSV_HEX: return read_hex(w, bits);
	case ML_CSV_NEGATIVE:
		if (*w.at != '-')
			return ml_scan_decimal(w.at, end, bits) == end && !(*bits >> 63);
		if (ml_scan_decimal(w.at + 1, end, &v) != end || v > 1ull << 63)
			return false;
		*bits = 0 - v;
		return true;
	default:
		if (!read_real(w, &real))
			return false;
		memcpy(bits, &real, sizeof(*bits));
		return true;
	}
}
