#include "lib/query/drawing/html.h"

#include <stdarg.h>
#include <string.h>

#include "lib/base/buf.h"
#include "lib/base/table.h"
#include "lib/query/drawing/picture.h"

static const char rules[] =
	"*{box-sizing:border-box}\n"
	"html{color-scheme:light dark;scroll-padding-top:3.2rem}\n"
	"body{margin:0;background:var(--bg);color:var(--text);"
	"font:15px/1.5 system-ui,-apple-system,'Segoe UI','DejaVu Sans',sans-serif}\n"
	"main,header,nav div{max-width:1180px;margin:0 auto;padding:0 28px}\n"
	"header{padding-top:30px}\n"
	"h1{font-size:30px;line-height:1.2;margin:0 0 6px;overflow-wrap:anywhere}\n"
	"h2{font-size:21px;margin:44px 0 10px;padding-top:10px}\n"
	"h3{font-size:15px;margin:22px 0 6px}\n"
	"p{margin:6px 0;max-width:78ch}\n"
	"a{color:inherit;text-decoration-color:var(--muted);text-underline-offset:2px}\n"
	".muted,dt{color:var(--muted)}\n"
	"code,pre,.src{font:13px/1.45 ui-monospace,'SF Mono',Menlo,Consolas,"
	"'DejaVu Sans Mono',monospace}\n"
	"dl.of{display:grid;grid-template-columns:max-content 1fr;gap:2px 16px;margin:12px 0}\n"
	"dl.of dd{margin:0;overflow-wrap:anywhere}\n"
	"nav{position:sticky;top:0;z-index:1;background:var(--bg);border-bottom:1px solid "
	"var(--grid);margin-top:20px}\n"
	"nav div{display:flex;flex-wrap:wrap;gap:4px 22px;padding-top:9px;padding-bottom:9px;"
	"font-size:14px}\n"
	"nav a{text-decoration:none;color:var(--muted)}nav a:hover{color:var(--text)}\n"
	".warn{border-left:4px solid var(--lamp);background:var(--panel);padding:8px 14px;"
	"margin:10px 0;max-width:none}\n"
	".cards:empty{display:none}.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(190px,1fr));gap:12px;"
	"margin:20px 0}\n"
	".card{background:var(--panel);border:1px solid var(--grid);border-radius:8px;"
	"padding:12px 16px}\n"
	".card b{display:block;font-size:25px;line-height:1.25;font-weight:600;"
	"font-variant-numeric:tabular-nums}\n"
	".card span{color:var(--muted);font-size:13px}\n"
	"table{border-collapse:collapse;margin:8px 0;font-size:14px;min-width:55%}.full{width:100%}\n"
	"th{font-weight:500;color:var(--muted);text-align:right;padding:4px 10px 4px 0;"
	"border-bottom:1px solid var(--grid);vertical-align:bottom;white-space:nowrap}\n"
	"td{padding:4px 10px 4px 0;border-bottom:1px solid var(--grid);vertical-align:baseline;"
	"overflow-wrap:break-word}\n"
	"th.t,td.t{text-align:left;padding-left:8px}tr>:first-child{padding-left:0}.n{text-align:right;white-space:nowrap;"
	"font-variant-numeric:tabular-nums}\n"
	".w{white-space:nowrap}td.b{vertical-align:top;padding-top:9px;width:90px;min-width:70px}\n"
	".bar{display:flex;height:10px;border-radius:2px;overflow:hidden}\n"
	".bar i{display:block;background:var(--c);height:100%;flex:none}\n"
	".bar i.on{background:#8a8533}\n"
	".served{background:var(--empty);height:12px}.big .served{height:22px;border-radius:4px}\n"
	".key{display:flex;flex-wrap:wrap;gap:4px 18px;font-size:13px;margin:6px 0;"
	"color:var(--muted)}\n"
	".key i{display:inline-block;width:11px;height:11px;border-radius:2px;margin-right:6px;"
	"background:var(--c);vertical-align:-1px}\n"
	".finding{border:1px solid var(--grid);border-left:4px solid var(--lamp);"
	"border-radius:8px;padding:12px 18px;margin:12px 0;break-inside:avoid}\n"
	".finding h3{display:flex;justify-content:space-between;gap:20px;margin:0 0 4px;"
	"font-size:16px}\n"
	".finding h3 span{white-space:nowrap;color:var(--muted);font-weight:500}\n"
	".finding pre{margin:6px 0;overflow-x:auto;background:var(--panel);padding:6px 10px;"
	"border-radius:4px}\n"
	".finding dl{display:grid;grid-template-columns:3em 1fr;margin:8px 0 0}\n"
	".finding dd{margin:0;max-width:78ch}\n"
	"figure{margin:10px 0;overflow-x:auto}figure svg{max-width:100%;height:auto;display:block}\n"
	"svg [class^=c]{fill:var(--c)}svg .stroke{fill:none!important;stroke:var(--c)}\n"
	".maps{display:flex;flex-wrap:wrap;gap:22px 28px;align-items:flex-start;margin-top:14px}\n"
	".map{max-width:100%;break-inside:avoid}.map h3{margin:0}\n"
	".map p{font-size:13px;margin:0 0 6px}\n"
	".file{border:1px solid var(--grid);border-radius:8px;margin:14px 0;overflow:hidden}\n"
	".file>h3{margin:0;padding:9px 14px;background:var(--panel);border-bottom:1px solid "
	"var(--grid);display:flex;justify-content:space-between;gap:20px;overflow-wrap:anywhere}\n"
	".file>h3 span{font-weight:400;color:var(--muted);white-space:nowrap}\n"
	".src{overflow-x:auto}.src>*{min-width:max-content}\n"
	"pre.src{margin:0;padding:8px 14px}h2:first-letter{text-transform:uppercase}\n"
	".l{display:grid;grid-template-columns:var(--cols);white-space:pre;padding:0 14px 0 0;"
	"tab-size:8}\n"
	".l>*{padding:0 5px}.l .n{color:var(--muted)}.l .h{color:var(--text)}\n"
	".l .bar{height:11px;align-self:center;padding:0;margin:0 5px}\n"
	".l.hot{background:var(--panel)}.l:target{outline:2px solid var(--lamp);"
	"outline-offset:-2px}\n"
	".l.top{color:var(--muted);border-bottom:1px solid var(--grid);font-size:12px}\n"
	"details.gap>summary,.gap{color:var(--muted);padding:1px 14px;cursor:pointer;"
	"font-size:12px;background:var(--panel)}\n"
	".gap.cut{cursor:default}\n"
	"footer{margin:50px 0 40px;color:var(--muted);font-size:13px}\n"
	"@media(max-width:700px){main,header,nav div{padding-left:14px;padding-right:14px}"
	".scroll{overflow-x:auto}}\n"
	"@media print{nav{display:none}body{font-size:10pt}table{font-size:9pt}.src{font-size:8pt}"
	".cards{grid-template-columns:repeat(4,1fr)}section>p{break-after:avoid}.file,.src{overflow:visible}"
	".l{white-space:pre-wrap;min-width:0!important}.src>*{min-width:0}"
	"*{print-color-adjust:exact;-webkit-print-color-adjust:exact}h2{break-after:avoid}}\n";

static void put_colours(struct ml_html *h, const struct ml_palette *c)
{
	ml_html_put(h,
		    ":root{--bg:#%06x;--panel:#%06x;--grid:#%06x;--text:#%06x;"
		    "--muted:#%06x;--lamp:#%06x;--empty:#%06x}",
		    c->colour[ML_COLOUR_BACKGROUND], c->colour[ML_COLOUR_PANEL],
		    c->colour[ML_COLOUR_GRID], c->colour[ML_COLOUR_TEXT],
		    c->colour[ML_COLOUR_MUTED], c->colour[ML_COLOUR_LAMP],
		    c->colour[ML_COLOUR_EMPTY]);
	ml_picture_style(c, h->out);
}

static void put_style(struct ml_html *h, unsigned numbers)
{
	ml_html_put(h, "<style>\n");
	put_colours(h, &ml_palette_light);
	ml_html_put(h, "\n@media screen and (prefers-color-scheme:dark){");
	put_colours(h, &ml_palette_dark);
	ml_html_put(h, "}\n");
	ml_buf_put(h->out, rules, sizeof(rules) - 1);
	/* numbers and the bar before the text of a line */
	if (numbers)
		ml_html_put(h, ":root{--cols:7ch");
	for (unsigned k = 1; k < numbers; k++)
		ml_html_put(h, " 8ch");
	ml_html_put(h, "%s</style>\n", numbers ? " 8ch 76px 1fr}\n" : "");
}

void ml_html_begin(struct ml_html *h, const char *title, unsigned numbers)
{
	ml_html_put(h, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
		       "<meta charset=\"utf-8\">\n"
		       "<meta name=\"viewport\" content=\"width=device-width, "
		       "initial-scale=1\">\n"
		       "<meta http-equiv=\"Content-Security-Policy\" "
		       "content=\"default-src 'none'; style-src 'unsafe-inline'\">\n");
	ml_html_wrap(h, "<title>", title, " - memlamp report</title>\n");
	put_style(h, numbers);
	ml_html_wrap(h, "</head>\n<body>\n<header>\n<h1>", title, "</h1>\n");
}

void ml_html_end(struct ml_html *h, const char *footer)
{
	ml_html_put(h, "<footer><p>%s</p></footer>\n</main>\n</body>\n</html>\n", footer);
}

void ml_html_put(struct ml_html *h, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	ml_buf_vprintf(h->out, fmt, ap);
	va_end(ap);
}

void ml_html_text(struct ml_html *h, const char *text)
{
	ml_picture_escape(h->out, text, strlen(text));
}

void ml_html_wrap(struct ml_html *h, const char *open, const char *text,
		  const char *close)
{
	ml_buf_put(h->out, open, strlen(open));
	ml_html_text(h, text);
	ml_buf_put(h->out, close, strlen(close));
}

const char *ml_html_count(struct ml_html *h, uint64_t v)
{
	return ml_format_count(ml_arena_alloc(&h->arena, ML_NUMBER_ROOM), v);
}

const char *ml_html_bytes(struct ml_html *h, uint64_t v)
{
	return ml_format_bytes(ml_arena_alloc(&h->arena, ML_NUMBER_ROOM), v);
}

const char *ml_html_percent(struct ml_html *h, double share)
{
	double percent = 100 * share;

	if (percent > 0 && percent < 0.01)
		return "&lt;0.01 %";
	return ml_arena_printf(&h->arena,
			       percent >= 0.1 || percent <= 0 ? "%.1f %%" : "%.2f %%",
			       percent);
}

const char *ml_html_short(struct ml_html *h, uint64_t v)
{
	static const char *const units[] = { "k", "M", "G", "T", "P", "E" };
	double x = (double)v;
	unsigned unit = 0;

	if (v < 10000)
		return ml_html_count(h, v);
	for (x /= 1000; x >= 999.5; x /= 1000)
		unit++;
	return ml_arena_printf(&h->arena,
			       x < 9.995   ? "%.2f %s"
			       : x < 99.95 ? "%.1f %s"
					   : "%.0f %s",
			       x, units[unit]);
}

void ml_html_more(struct ml_html *h, size_t all, size_t shown, const char *what)
{
	if (all > shown)
		ml_html_put(h, "<p class=\"muted\">and %s more %s</p>\n",
			    ml_html_count(h, all - shown), what);
}
