// The view Cycles, on a loop that can be counted: 100 runs of a body of five lines.
import assert from "node:assert/strict";

const BODY = [1, 2, 3, 4, 5];
const loop = (turns) =>
	[
		"region A 0x1000 4096 8",
		...Array.from({ length: turns }, (_, i) =>
			BODY.map(
				(line) =>
					`r 0x${(0x1000 + 8 * (i % 512)).toString(16)} 8 1 a.c:${line} f`,
			),
		).flat(),
	].join("\n");

const open = async (w, hash = "", turns = 100) =>
	w.page(await w.serve(w.text(`loop${turns}`, loop(turns))), {
		hash: `#view=cycles${hash}`,
	});

const drawn = (w, page, what) =>
	w.until(`the picture shows ${what}`, async () => {
		await w.quiet(page);
		const svg = await w.svg(page);
		return what.test(svg) && svg;
	});

export const tests = {
	"a loop is a cycle in the list, with its turns and its lines": async (w) => {
		const page = await open(w);
		const svg = await drawn(w, page, /491 moments/);

		// 491 windows of 10 are 490 steps of a fifth: 98 turns
		assert.match(svg, /98 turns/);
		assert.match(svg, /\[2, 4\)/);
		assert.match(svg, /5 distinct/);
		for (const line of BODY) assert.match(svg, new RegExp(`a\\.c:${line}`));
	},

	"turns without room for arcs are contours, which say what they count": async (
		w,
	) => {
		const page = await open(w);
		const svg = await drawn(w, page, /491 moments, as contours/);

		assert.match(svg, /contours around 97, 75, 50, 25 % of the moments/);
		// a contour around each of the five angles at least
		assert.ok((svg.match(/<(path|polyline)/g) ?? []).length >= 5);
		const few = await open(w, "&window=0-60");
		assert.doesNotMatch(await drawn(w, few, /51 moments/), /contours/);
	},

	"of many moments a stretch of rows sets the window, and levels have colours":
		async (w) => {
			const page = await open(w, "&o.cycles.colour=level", 7000);

			await drawn(w, page, /34,991 moments, as contours/);
			await drawn(w, page, /colour: level</);
			const box = await page
				.locator(".stage .canvas canvas")
				.first()
				.boundingBox();
			const { ring, rows } = await page.evaluate(() => {
				const v = globalThis.memlamp.mounted.view;
				return { ring: v.layout().ring, rows: v.rowed.rows };
			});
			const at = (row) =>
				box.x +
				ring.x +
				ring.inner +
				((row + 0.5) / rows) * (ring.outer - ring.inner);

			assert.equal(rows, 128);
			await page.mouse.move(at(32), box.y + ring.y);
			await page.mouse.down();
			await page.mouse.move(at(63), box.y + ring.y, { steps: 4 });
			await page.mouse.up();
			// rows 32 to 63 of 128: the second quarter of 34,991 moments
			await w.until("the window is set", () =>
				page.evaluate(() => {
					const v =
						globalThis.memlamp.trace.chosenWindow
							.value;
					return v?.from === 8748 && v.to === 17496;
				}),
			);
		},

	"colours fold into functions": async (w) => {
		const page = await open(w, "&o.cycles.colour=function");
		const svg = await drawn(w, page, /491 moments/);

		assert.match(svg, />f</);
		assert.doesNotMatch(svg, /▾ a\.c:1/);
	},

	"a click on a moment sets the cursor, a stretch sets the window": async (w) => {
		const page = await open(w, "&window=0-60");

		await drawn(w, page, /51 moments/);
		const box = await page
			.locator(".stage .canvas canvas")
			.first()
			.boundingBox();
		// moment 40 stands where the spiral has turned 8 times: at the top
		const at = await page.evaluate(() => {
			const { x, y } = globalThis.memlamp.mounted.view.drawn;
			return [
				[x[40], y[40]],
				[x[20], y[20]],
			];
		});
		await page.mouse.click(box.x + at[0][0], box.y + at[0][1]);
		await w.until("the cursor is there", () =>
			page.evaluate(() => globalThis.memlamp.trace.cursor.value === 40),
		);
		await page.mouse.move(box.x + at[1][0], box.y + at[1][1]);
		await page.mouse.down();
		await page.mouse.move(box.x + at[0][0], box.y + at[0][1], { steps: 4 });
		await page.mouse.up();
		// turns 4 to 8: references 20 to 40
		await w.until("the window is set", () =>
			page.evaluate(() => {
				const v = globalThis.memlamp.trace.chosenWindow.value;
				return v?.from === 20 && v.to === 41;
			}),
		);
	},

	"circle, plane and numbers": async (w) => {
		const page = await open(w, "&o.cycles.form=plane");

		const both = await drawn(w, page, /5 of 5 distinct windows/);
		assert.match(both, /classical scaling/);
		assert.match(both, /ISOMAP, 8 nearest/);
		await page.evaluate(() => {
			const { options } = globalThis.memlamp.store;
			options.value = { ...options.value, "cycles.form": "circle" };
		});
		await drawn(w, page, /491 moments/);
		const csv = await page.evaluate(() =>
			globalThis.memlamp.mounted.view.exportText("csv"),
		);
		const rows = csv.trim().split("\n");
		assert.equal(rows.length, 492);
		assert.equal(rows[0], "time,turns,file,line,function,region");
		assert.match(rows[6], /^5,(1|0\.99999\d*|1\.00000\d*),a\.c,1,f,A$/);
	},
};
