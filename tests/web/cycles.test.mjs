// The view Cycles, on a loop that can be counted: 100 runs of a body of five lines.
import assert from "node:assert/strict";

const BODY = [1, 2, 3, 4, 5];
const LOOP = [
	"region A 0x1000 4096 8",
	...Array.from({ length: 100 }, (_, i) =>
		BODY.map(
			(line) =>
				`r 0x${(0x1000 + 8 * i).toString(16)} 8 1 a.c:${line} f`,
		),
	).flat(),
].join("\n");

const open = async (w, hash = "") =>
	w.page(await w.serve(w.text("loop100", LOOP)), { hash: `#view=cycles${hash}` });

const drawn = (w, page, what) =>
	w.until(`the picture shows ${what}`, async () => {
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

		await drawn(w, page, /5 of 5 distinct windows/);
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
