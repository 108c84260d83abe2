/*
 * The text of `perf script` and of `perf mem report -D`. The fields of a line of perf
 * script stand in a fixed order whatever -F says:
 *
 *	comm tid [cpu] time: event: addr symbol (object) data_src |OP ...| weight \
 *	ip symbol (object) phys_addr
 *
 * The hexadecimal data_src word is used, not the text behind it, which differs between
 * versions of perf and can be cut off.
 */
#include "lib/samples/read/readers.h"

#include <string.h>

#include "lib/base/err.h"
#include "lib/base/work.h"
#include "lib/samples/data_source.h"
#include "lib/samples/samples_make.h"
#include "lib/trace/text/scan.h"

enum column {
	COMMAND,
	THREAD,
	CPU,
	TIME,
	EVENT,
	ADDRESS,
	OBJECT,
	SOURCE,
	LATENCY,
	IP,
	FUNCTION,
	BINARY,
	PHYSICAL,
	COLUMNS
};

struct value {
	bool there;
	uint64_t number;
	struct ml_scan_word text;
};

static const struct {
	const char *name;
	bool number, hex;
	enum ml_samples_role role;
} columns[COLUMNS] = {
	[COMMAND] = { "command", false, false, ML_SAMPLES_NO_ROLE },
	[THREAD] = { "thread", true, false, ML_SAMPLES_THREAD },
	[CPU] = { "cpu", true, false, ML_SAMPLES_CPU },
	[TIME] = { "time", true, false, ML_SAMPLES_TIME },
	[EVENT] = { "event", false, false, ML_SAMPLES_NO_ROLE },
	[ADDRESS] = { "address", true, true, ML_SAMPLES_ADDRESS },
	[OBJECT] = { "variable", false, false, ML_SAMPLES_VARIABLE },
	[SOURCE] = { "data_src", true, true, ML_SAMPLES_SOURCE_WORD },
	[LATENCY] = { "latency", true, false, ML_SAMPLES_LATENCY },
	[IP] = { "ip", true, true, ML_SAMPLES_IP },
	[FUNCTION] = { "function", false, false, ML_SAMPLES_FUNCTION },
	[BINARY] = { "binary", false, false, ML_SAMPLES_NO_ROLE },
	[PHYSICAL] = { "phys_addr", true, true, ML_SAMPLES_NO_ROLE },
};

/* The next word of a line; empty at its end. */
static struct ml_scan_word next_word(const char **at, const char *end)
{
	struct ml_scan_word w;

	*at = ml_scan_blanks(*at, end);
	w.at = *at;
	while (*at < end && !ml_scan_blank(**at))
		(*at)++;
	w.size = (size_t)(*at - w.at);
	return w;
}

static bool all_hex(struct ml_scan_word w, uint64_t *v)
{
	if (w.size > 2 && w.at[0] == '0' && (w.at[1] | 0x20) == 'x')
		w = (struct ml_scan_word){ w.at + 2, w.size - 2 };
	return ml_scan_hex(w.at, w.at + w.size, v) == w.at + w.size;
}

static bool all_decimal(struct ml_scan_word w, uint64_t *v)
{
	return ml_scan_decimal(w.at, w.at + w.size, v) == w.at + w.size;
}

static void set_number(struct value *v, uint64_t number)
{
	v->there = true;
	v->number = number;
}

static void set_text(struct value *v, const char *at, const char *end)
{
	while (at < end && ml_scan_blank(*at))
		at++;
	while (end > at && ml_scan_blank(end[-1]))
		end--;
	v->there = at < end;
	v->text = (struct ml_scan_word){ at, (size_t)(end - at) };
}

/* "12345.679901237:" in nanoseconds. */
static bool read_time(struct ml_scan_word w, uint64_t *ns)
{
	const char *end = w.at + w.size - 1, *dot;
	uint64_t seconds, part, scale = 1000000000;

	if (w.size < 4 || *end != ':')
		return false;
	dot = ml_scan_decimal(w.at, end, &seconds);
	if (!dot || dot == end || *dot != '.' || end - dot > 10 ||
	    ml_scan_decimal(dot + 1, end, &part) != end ||
	    seconds > UINT64_MAX / scale - 1)
		return false;
	*ns = seconds * scale;
	for (const char *p = dot + 1; p < end; p++)
		scale /= 10;
	*ns += part * scale;
	return true;
}

/* "symbol+0x12 (object)" into its two names. */
static void read_symbol(const char *at, const char *end, struct value *symbol,
			struct value *object)
{
	const char *open = memrchr(at, '(', (size_t)(end - at)), *plus;

	if (open && open > at && ml_scan_blank(open[-1])) {
		const char *close = memrchr(open, ')', (size_t)(end - open));

		if (object)
			set_text(object, open + 1, close ? close : end);
		end = open;
	}
	plus = memmem(at, (size_t)(end - at), "+0x", 3);
	set_text(symbol, at, plus ? plus : end);
}

/* Behind the text of the data source: weight, ip, symbol, physical address. */
static void read_tail(const char *at, const char *end, struct value v[COLUMNS])
{
	const char *save;
	uint64_t weight = 0, ip = 0;

	/* The text of the data source has words, and may be cut off: the weight is the
	 * first decimal number with a hexadecimal one behind it. */
	for (;;) {
		struct ml_scan_word w = next_word(&at, end);

		if (!w.size)
			return;
		if (!all_decimal(w, &weight))
			continue;
		save = at;
		w = next_word(&at, end);
		if (w.size >= 4 && all_hex(w, &ip))
			break;
		if (!w.size) {
			set_number(&v[LATENCY], weight);
			return;
		}
		at = save;
	}
	set_number(&v[LATENCY], weight);
	set_number(&v[IP], ip);
	while (end > at && ml_scan_blank(end[-1]))
		end--;
	const char *last = end;
	while (last > at && !ml_scan_blank(last[-1]))
		last--;
	uint64_t physical;
	if (end - last > 0 && last - at > 2 && ml_scan_blank(last[-2]) &&
	    all_hex((struct ml_scan_word){ last, (size_t)(end - last) }, &physical)) {
		set_number(&v[PHYSICAL], physical);
		end = last;
	}
	read_symbol(at, end, &v[FUNCTION], &v[BINARY]);
}

/* NULL: the line is valid; otherwise what is wrong. */
static const char *read_line(const char *at, const char *end, struct value v[COLUMNS])
{
	const char *start = at;
	struct ml_scan_word w, last = { at, 0 };
	uint64_t number = 0;

	memset(v, 0, COLUMNS * sizeof(*v));
	/* The command may have blanks: the time is the first word like 12.34: */
	for (;;) {
		w = next_word(&at, end);
		if (!w.size)
			return "there is no time";
		if (read_time(w, &number))
			break;
		if (w.size > 2 && *w.at == '[' && w.at[w.size - 1] == ']' &&
		    all_decimal((struct ml_scan_word){ w.at + 1, w.size - 2 },
				&v[CPU].number)) {
			v[CPU].there = true;
			continue;
		}
		last = w;
	}
	set_number(&v[TIME], number);
	const char *slash = last.size ? memchr(last.at, '/', last.size) : NULL;
	if (slash)
		last = (struct ml_scan_word){ slash + 1,
					      (size_t)(last.at + last.size - slash - 1) };
	if (all_decimal(last, &number)) {
		set_number(&v[THREAD], number);
		const char *command_end = slash ? slash : last.at;
		while (command_end > start && !ml_scan_blank(command_end[-1]))
			command_end--;
		set_text(&v[COMMAND], start, command_end);
	}
	w = next_word(&at, end);
	if (all_decimal(w, &number)) /* the period */
		w = next_word(&at, end);
	if (!w.size || w.at[w.size - 1] != ':')
		return "there is no event";
	set_text(&v[EVENT], w.at, w.at + w.size - 1);
	w = next_word(&at, end);
	if (!all_hex(w, &number))
		return "there is no address";
	set_number(&v[ADDRESS], number);
	const char *bar = memmem(at, (size_t)(end - at), "|OP ", 4), *word;
	if (!bar)
		return "there is no data source: say perf script -F +addr,+data_src,+weight";
	word = bar;
	while (word > at && ml_scan_blank(word[-1]))
		word--;
	w.size = (size_t)(word - at);
	while (word > at && !ml_scan_blank(word[-1]))
		word--;
	if (!all_hex((struct ml_scan_word){ word, (size_t)(at + w.size - word) },
		     &number))
		return "the data source is no hexadecimal number";
	set_number(&v[SOURCE], number);
	if (word > at)
		read_symbol(at, word, &v[OBJECT], NULL);
	read_tail(bar, end, v);
	return NULL;
}

/* Arm SPE makes several events of one record; "memory" has all there is. */
static bool repeats(struct ml_scan_word event)
{
	static const char *const others[] = {
		"l1d-miss",   "l1d-access",    "llc-miss",    "llc-access",   "tlb-miss",
		"tlb-access", "remote-access", "branch-miss", "instructions",
	};

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (event.size >= strlen(others[i]) &&
		    !memcmp(event.at, others[i], strlen(others[i])))
			return true;
	return false;
}

/* AMD samples every operation, also those that do not use memory. */
static bool no_access(const struct value v[COLUMNS])
{
	return v[EVENT].text.size >= 3 && !memcmp(v[EVENT].text.at, "ibs", 3) &&
	       !(ml_op_of_perf(v[SOURCE].number) & 0x1e);
}

static void add_columns(struct ml_samples *s)
{
	for (size_t i = 0; i < COLUMNS; i++) {
		ml_samples_add_column(s, columns[i].name,
				      columns[i].number ? ML_SAMPLES_UNSIGNED
							: ML_SAMPLES_NAMES);
		s->columns[i].hex = columns[i].hex;
		if (columns[i].role)
			ml_samples_set_role(s, i, columns[i].role);
	}
}

static void add_row(struct ml_samples *s, const struct value v[COLUMNS])
{
	for (size_t i = 0; i < COLUMNS; i++)
		if (!columns[i].number)
			ml_samples_put_name(s, i, s->rows,
					    v[i].there ? v[i].text.at : "??",
					    v[i].there ? v[i].text.size : 2);
		else if (v[i].there)
			ml_samples_put(s, i, s->rows, v[i].number);
		else
			ml_samples_put_missing(s, i, s->rows);
	s->rows++;
}

/* perf script --show-mmap-events: no sample. */
static bool is_record(const char *at, const char *end)
{
	return memmem(at, (size_t)(end - at), " PERF_RECORD_", 13) != NULL;
}

typedef const char *line_reader(const char *at, const char *end, struct value v[COLUMNS]);

static bool read_lines(struct ml_samples *s, struct ml_read_text t, line_reader *read,
		       const struct ml_work *work, struct ml_err *err)
{
	struct value v[COLUMNS];
	const char *start = t.at;
	uint64_t line = 1;

	add_columns(s);
	for (; t.at < t.end; line++) {
		const char *end = memchr(t.at, '\n', (size_t)(t.end - t.at));

		end = end ? end : t.end;
		if (line % 65536 == 0) {
			ml_work_progress(work, "reading samples",
					 (uint64_t)(t.at - start),
					 (uint64_t)(t.end - start));
			if (!ml_work_goes_on(work, err))
				return false;
		}
		const char *at = ml_scan_blanks(t.at, end);
		if (at < end && *at != '#' && !is_record(at, end)) {
			const char *wrong = read(at, end, v);

			if (wrong)
				ml_samples_add_bad(s, line, wrong);
			else if (repeats(v[EVENT].text) || no_access(v))
				s->skipped++;
			else
				add_row(s, v);
		}
		t.at = end < t.end ? end + 1 : end;
	}
	return true;
}

/*
 * PID TID IP ADDR WEIGHT DSRC BINARY:SYMBOL. Without a separator of its own, perf 6.1
 * prints the address as "0x016" and the digits (its format says 0x016% for 0x%016).
 */
static const char *read_mem_line(const char *at, const char *end, struct value v[COLUMNS])
{
	struct ml_scan_word w[6];
	uint64_t number;

	memset(v, 0, COLUMNS * sizeof(*v));
	for (size_t i = 0; i < 6; i++) {
		w[i] = next_word(&at, end);
		if (!w[i].size)
			return "there are fewer than seven fields";
	}
	if (w[2].size == 18 && w[3].size > 5 && !memcmp(w[3].at, "0x016", 5))
		w[3] = (struct ml_scan_word){ w[3].at + 5, w[3].size - 5 };
	if (!all_decimal(w[1], &v[THREAD].number))
		return "the thread is no number";
	if (!all_hex(w[2], &v[IP].number) || !all_hex(w[3], &v[ADDRESS].number))
		return "an address is no hexadecimal number";
	if (!all_decimal(w[4], &v[LATENCY].number))
		return "the weight is no number";
	if (!all_hex(w[5], &number))
		return "the data source is no hexadecimal number";
	set_number(&v[SOURCE], number);
	v[THREAD].there = v[IP].there = v[ADDRESS].there = v[LATENCY].there = true;
	struct ml_scan_word symbol = next_word(&at, end);
	const char *colon = symbol.size ? memrchr(symbol.at, ':', symbol.size) : NULL;
	if (colon) {
		set_text(&v[BINARY], symbol.at, colon);
		set_text(&v[FUNCTION], colon + 1, symbol.at + symbol.size);
	}
	return NULL;
}

bool ml_read_perf_script(struct ml_samples *s, struct ml_read_text t,
			 const struct ml_read_options *o, const struct ml_work *work,
			 struct ml_err *err)
{
	return read_lines(s, t, read_line, work, err) &&
	       ml_read_roles(s, o->columns, err);
}

bool ml_read_perf_mem(struct ml_samples *s, struct ml_read_text t,
		      const struct ml_read_options *o, const struct ml_work *work,
		      struct ml_err *err)
{
	return read_lines(s, t, read_mem_line, work, err) &&
	       ml_read_roles(s, o->columns, err);
}

/* The first line that is neither blank nor a comment. */
static bool first_line(const char **at, const char **end, size_t size)
{
	const char *all = *at + size;

	while (*at < all) {
		*end = memchr(*at, '\n', (size_t)(all - *at));
		*end = *end ? *end : all;
		const char *from = ml_scan_blanks(*at, *end);
		if (from < *end && *from != '#' && !is_record(from, *end))
			return true;
		*at = *end < all ? *end + 1 : all;
	}
	return false;
}

bool ml_read_perf_script_is(const char *text, size_t size)
{
	struct value v[COLUMNS];
	const char *end;

	return first_line(&text, &end, size) && !read_line(text, end, v);
}

bool ml_read_perf_mem_is(const char *text, size_t size)
{
	static const char head[] = "# PID, TID, IP, ADDR, LOCAL WEIGHT";

	return size > sizeof(head) && !memcmp(text, head, sizeof(head) - 1);
}
