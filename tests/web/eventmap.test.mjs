// The event map: colours in reading order, jumps, windows. What is expected comes from
// hand-simulated traces and from `memlamp dump`.
import assert from "node:assert/strict";
import {
	HAND_SERVED,
	ask,
	hand,
	levelColours,
	levelOfCell,
	rects,
	set,
} from "./drawn.mjs";

const matmul = (w) => w.example("matmul.c", "16");
/** Where the matrices are multiplied: some 8,400 references. */
const multiply = (w) => w.phase(matmul(w), "multiply").from;
const HASH = "#view=eventmap";

/** Where cells begin in the picture (views/eventmap.ts). */
const [LEFT, TOP] = [76, 30];

/** Cells that are drawn, in reading order. */
async function cells(w, page, wanted) {
	const colours = await levelColours(page);

	return w.until("the cells are drawn", async () => {
		const found = rects(await w.svg(page)).filter(
			(r) =>
				r.x >= LEFT &&
				r.y >= TOP &&
				r.w === r.h &&
				levelOfCell(r.fill, colours),
		);
		return (
			found.length === wanted &&
			found
				.sort((a, b) => a.y - b.y || a.x - b.x)
				.map((r) => ({
					...r,
					level: levelOfCell(r.fill, colours),
				}))
		);
	});
}

async function place(page, cell) {
	const b = await page.locator(".stage .canvas canvas").first().boundingBox();

	return [b.x + cell.x + cell.w / 2, b.y + cell.y + cell.h / 2];
}

export const tests = {
	"each reference is a cell in the colour of its level, in reading order": async (
		w,
	) => {
		const page = await w.page(await hand(w), { hash: HASH });

		assert.deepEqual(
			(await cells(w, page, 6)).map((c) => c.level),
			HAND_SERVED,
		);
		assert.match(await w.svg(page), /one cell is 1 reference,/);
	},

	"cells of a window are those that the server serves so": async (w) => {
		const from = multiply(w);
		const page = await w.page(await w.serve(matmul(w)), {
			hash: `${HASH}&window=${from}-${from + 200}`,
		});
		const found = await cells(w, page, 200);

		for (const i of [0, 1, 17, 60, 61, 62, 63, 64, 128, 199]) {
			const { served } = await ask(page, `at?time=${from + i}`);
			assert.equal(found[i].level, served, `reference ${from + i}`);
		}
	},

	"a click on a cell lands on the reference that dump prints": async (w) => {
		const from = multiply(w);
		const page = await w.page(await w.serve(matmul(w)), {
			hash: `${HASH}&window=${from}-${from + 600}`,
		});
		const refs = w.refs(matmul(w)).filter((r) => r.kind);
		const found = await cells(w, page, 600);

		for (const i of [0, 37, 599]) {
			await page.mouse.click(...(await place(page, found[i])));
			assert.equal(await w.value(page, "cursor"), from + i);
			await page
				.locator("dd.mono", { hasText: refs[from + i].address })
				.waitFor();
		}
	},

	"cells of many references say how many, and lead to the first": async (w) => {
		const page = await w.page(await w.serve(matmul(w)), { hash: HASH });
		const n = await w.value(page, "length");
		const [, text] = await w.until("it says it", async () =>
			(await w.svg(page)).match(/one cell is ([\d,]+) references/),
		);
		const width = Number(text.replace(",", ""));
		const count = Math.ceil(n / width);
		const found = await w.until("all are drawn", async () => {
			const list = rects(await w.svg(page)).filter(
				(r) =>
					r.x >= LEFT &&
					r.y >= TOP &&
					r.w === r.h &&
					r.alpha === 1,
			);
			return list.length >= count && list;
		});

		assert.equal(Math.log2(width) % 1, 0);
		await page.mouse.click(...(await place(page, found[3])));
		assert.equal(await w.value(page, "cursor"), 3 * width);
	},

	"pointing tells the reference in words and pre-selects its line": async (w) => {
		const from = multiply(w);
		const page = await w.page(await w.serve(matmul(w)), {
			hash: `${HASH}&window=${from}-${from + 200}`,
		});
		const found = await cells(w, page, 200);
		const at = await ask(page, `at?time=${from + 50}`);

		await page.mouse.move(...(await place(page, found[50])));
		await page.locator(".stage .tooltip", { hasText: at.caption }).waitFor();
		assert.deepEqual(await w.value(page, "hover"), {
			file: at.file,
			line: at.line,
		});
		await page.locator(".brand").hover();
		assert.deepEqual(await w.value(page, "hover"), {});
	},

	"shift and drag make cells the window": async (w) => {
		const from = multiply(w);
		const page = await w.page(await w.serve(matmul(w)), {
			hash: `${HASH}&window=${from}-${from + 600}`,
		});
		const found = await cells(w, page, 600);

		await page.keyboard.down("Shift");
		await page.mouse.move(...(await place(page, found[100])));
		await page.mouse.down();
		await page.mouse.move(...(await place(page, found[150])));
		await page.mouse.move(...(await place(page, found[299])));
		await page.mouse.up();
		await page.keyboard.up("Shift");
		assert.deepEqual(await w.value(page, "chosenWindow"), {
			from: from + 100,
			to: from + 300,
		});
		await cells(w, page, 200);
	},

	"a drag selects a range of cells, a click goes to one": async (w) => {
		const from = multiply(w);
		const page = await w.page(await w.serve(matmul(w)), {
			hash: `${HASH}&window=${from}-${from + 600}`,
		});
		const found = await cells(w, page, 600);

		await page.mouse.move(...(await place(page, found[299])));
		await page.mouse.down();
		await page.mouse.move(...(await place(page, found[150])));
		await page.mouse.move(...(await place(page, found[100])));
		await page.mouse.up();
		assert.deepEqual(await w.value(page, "range"), {
			from: from + 100,
			to: from + 300,
		});
		await page.locator(".section", { hasText: "200 references" }).waitFor();
		await page.mouse.click(...(await place(page, found[5])));
		assert.equal(await w.value(page, "cursor"), from + 5);
		assert.equal(await w.value(page, "range"), null);
	},

	"a selection leaves its cells in full colour": async (w) => {
		const page = await w.page(await hand(w), { hash: HASH });

		await cells(w, page, 6);
		await page.locator(".legend button", { hasText: "memory" }).click();
		assert.deepEqual(
			(await cells(w, page, 4)).map((c) => c.level),
			[2, 2, 2, 2],
		);
	},

	"the cursor frames the cell of its reference": async (w) => {
		const page = await w.page(await hand(w), { hash: HASH });
		const found = await cells(w, page, 6);

		await set(page, 4);
		const svg = await w.svg(page);
		const frames = [
			...svg.matchAll(
				/<rect x="([\d.]+)" y="[\d.]+" width="([\d.]+)"[^>]*fill="none"/g,
			),
		];
		const middle = found[4].x + found[4].w / 2;
		assert.ok(
			frames.some(
				([, x, width]) =>
					Math.abs(Number(x) + Number(width) / 2 - middle) <
					1,
			),
		);
	},

	"SVG and PNG of the map and the timeline are saved": async (w) => {
		const page = await w.page(await hand(w), {
			hash: HASH,
			size: { width: 1600, height: 900 },
		});

		await cells(w, page, 6);
		for (const [bar, name] of [
			[".stage", "hand-eventmap"],
			[".playback", "hand-timeline"],
		])
			for (const ending of ["svg", "png"]) {
				const [file] = await Promise.all([
					page.waitForEvent("download"),
					page
						.locator(`${bar} button`, {
							hasText: ending.toUpperCase(),
						})
						.click(),
				]);
				assert.equal(
					file.suggestedFilename(),
					`${name}.${ending}`,
				);
			}
	},
};
