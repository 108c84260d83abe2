// What browser tests of pictures stand on: hand-simulated traces, what is drawn, what the
// server tells of it.

/** Two lines of 64 bytes: misses, misses, hits, misses (64 goes), hits, misses. */
const HAND = "r0 r64 r0 r128 r0 r64\n";
export const HAND_SERVED = [2, 2, 1, 2, 1, 2];
const TWO_LINES = "L1 128 full 64B 4c | memory 100c";

/** Phases, a mark, a gap, two threads: 16, 40 and 64 references. */
export const EVENTS = `
thread 1
begin one
r0x1000+64*8
r0x1000+64*8
end one
gap 1000 lost
mark here
begin two
w0x8000+8*40
thread 2
r0x1000+8*64
end two @1
`;

export const hand = (w) => w.serve(w.text("hand", HAND), { machine: TWO_LINES });
export const events = (w) => w.serve(w.text("events", EVENTS), { machine: TWO_LINES });

/** Rectangles of an SVG as numbers. */
export function rects(svg) {
	return [...svg.matchAll(/<rect ([^>]*)\/>/g)].map(([, text]) => {
		const get = (name) =>
			text.match(new RegExp(`(?:^| )${name}="([^"]*)"`))?.[1];

		return {
			x: Number(get("x")),
			y: Number(get("y")),
			w: Number(get("width")),
			h: Number(get("height")),
			fill: get("fill"),
			alpha: Number(get("fill-opacity") ?? get("opacity") ?? 1),
		};
	});
}

/** Colours of the levels as the page's legend has them, memory last. */
export function levelColours(page) {
	return page.evaluate(() =>
		[...document.querySelectorAll(".legend .mark")].map(
			(m) =>
				`#${getComputedStyle(m)
					.backgroundColor.match(/\d+/g)
					.map((v) =>
						Number(v).toString(16).padStart(2, "0"),
					)
					.join("")}`,
		),
	);
}

const numbersOf = (fill) => [1, 3, 5].map((i) => parseInt(fill.slice(i, i + 2), 16));

/*
 * The level of a cell: its hue is the level that costs most, its strength, at least a half,
 * the cycles of a reference. 0: the rectangle is no cell, or is faint.
 */
export function levelOfCell(fill, colours, empty = "#efefec") {
	const [is, none] = [numbersOf(fill ?? "#000000"), numbersOf(empty)];
	const found = colours.map((c) => {
		const all = numbersOf(c);
		const widest = [0, 1, 2].reduce((a, b) =>
			Math.abs(all[b] - none[b]) > Math.abs(all[a] - none[a]) ? b : a,
		);
		const strength =
			(is[widest] - none[widest]) / (all[widest] - none[widest]);
		const off = is.map((v, i) =>
			Math.abs(v - none[i] - strength * (all[i] - none[i])),
		);

		return strength > 0.5 && strength < 1.01 && Math.max(...off) < 2;
	});

	return found.indexOf(true) + 1;
}

/** Asks a route as the page does. */
export function ask(page, route) {
	return page.evaluate(
		(r) =>
			fetch(
				`/api/sims/${globalThis.memlamp.trace.ready.value.sim}/${r}`,
				{
					headers: {
						"X-Memlamp-Token":
							sessionStorage.getItem(
								"memlamp.token",
							),
					},
				},
			).then((a) => a.json()),
		route,
	);
}

export async function set(page, cursor, window) {
	await page.evaluate(
		([c, w]) => {
			if (w) globalThis.memlamp.trace.setWindow(w);
			globalThis.memlamp.trace.setCursor(c);
		},
		[cursor, window],
	);
}

/** The timeline as the page exports it. */
export function timelineSvg(page) {
	return page.evaluate(() => globalThis.memlamp.mounted.timeline.exportSvg());
}
