// The timeline. Small traces are simulated by hand; of recorded ones what is
// drawn is compared with what the server tells and what `memlamp dump` prints.
import assert from "node:assert/strict";
import { columns } from "./world.mjs";
import {
	HAND_SERVED,
	ask,
	events,
	hand,
	levelColours,
	rects,
	set,
	timelineSvg,
} from "./drawn.mjs";

const matmul = (w) => w.example("matmul.c", "16");
/** Where the matrices are multiplied: some 8,400 references. */
const multiply = (w) => w.phase(matmul(w), "multiply").from;

/** Cells of the timeline's main part: below the strip, which is 14 pixels high. */
async function cells(w, page) {
	const colours = await levelColours(page);
	let found = [];

	await w.quiet(page);
	await w.until("cells are drawn", async () => {
		found = rects(await timelineSvg(page)).filter(
			(r) => r.y >= 14 && colours.includes(r.fill),
		);
		return found.length;
	});
	return { colours, found };
}

function box(page) {
	return page.locator(".timeline canvas").first().boundingBox();
}

async function drag(page, from, to, key) {
	if (key) await page.keyboard.down(key);
	await page.mouse.move(...from);
	await page.mouse.down();
	await page.mouse.move((from[0] + to[0]) / 2, to[1]);
	await page.mouse.move(...to);
	await page.mouse.up();
	if (key) await page.keyboard.up(key);
}

/** References in a cell, as docs/api.md cuts windows. */
function cellWidth(references, most) {
	let width = 1;

	while (references / width > most) width *= 2;
	return width;
}

/** A number of bytes as the page writes it. */
function bytes(n) {
	return n < 1024 ? `${n} B` : `${Number((n / 1024).toFixed(1))} KiB`;
}

function near(is, should, by, what) {
	assert.ok(Math.abs(is - should) <= by, `${what}: ${is}, not about ${should}`);
}

export const tests = {
	"single references have the colours of the levels that serve them": async (w) => {
		const page = await w.page(await hand(w));
		const { colours, found } = await cells(w, page);
		const height = Math.max(...found.map((r) => r.h));
		const bars = found
			.filter((r) => r.h === height)
			.sort((a, b) => a.x - b.x);

		assert.deepEqual(
			bars.map((r) => colours.indexOf(r.fill) + 1),
			HAND_SERVED,
		);
	},

	"areas of the whole run are the shares of the levels": async (w) => {
		const page = await w.page(await w.serve(matmul(w)));
		const { colours, found } = await cells(w, page);
		const { served, references } = await ask(page, "select");
		const area = colours.map((c) =>
			found
				.filter((r) => r.fill === c)
				.reduce((a, r) => a + r.w * r.h, 0),
		);
		const all = area.reduce((a, b) => a + b);

		served.forEach((n, l) =>
			near(
				area[l] / all,
				n / references,
				0.005,
				`share of level ${l + 1}`,
			),
		);
	},

	"where L1 serves nearly everything, chart and strip show their top part": async (
		w,
	) => {
		// 40 lines, each used 50,000 times: a miss is one of 2048 references of its cell
		const lines = Array.from(
			{ length: 40 },
			(_, i) => `r0x${(0x10000 + 64 * i).toString(16)}*50000`,
		);
		const trace = w.text("hits", `${lines.join("\n")}\n`);
		const page = await w.page(
			await w.serve(trace, {
				machine: "L1 128 full 64B 4c | memory 100c",
			}),
		);
		const share = async () => {
			const memory = (await levelColours(page)).at(-1);
			const all = rects(await timelineSvg(page));
			return [(r) => r.y < 14 && r.y + r.h <= 15, (r) => r.y >= 14].map(
				(part) => {
					const found = all.filter(
						(r) => r.fill === memory && part(r),
					);
					return Math.max(0, ...found.map((r) => r.h));
				},
			);
		};

		await w.until("misses are seen in the strip", async () => {
			const [strip, chart] = await share();
			return strip > 2 && chart > 10;
		});
		await page.getByRole("button", { name: "misses", exact: true }).click();
		await w.until("with all references they are thin", async () => {
			const [strip] = await share();
			return strip < 1;
		});
	},

	"by cycles areas are what the first level would take, and the waiting above it":
		async (w) => {
			const page = await w.page(await w.serve(matmul(w)));

			await set(page, 0, { from: 0, to: 1 << 15 });
			await page
				.getByRole("button", { name: "cycles", exact: true })
				.click();
			await w.until(
				"cells have come",
				async () => (await cells(w, page)).found.length > 500,
			);
			const { colours, found } = await cells(w, page);
			const width = cellWidth(1 << 15, (await box(page)).width);
			// Each cell has the same width, so its cycles are weighed within the cell.
			const at = found[0].x;
			const first = found.filter((r) => Math.abs(r.x - at) < 0.02);
			const { references, waiting } = await ask(
				page,
				`select?from=0&to=${width}`,
			);
			const cycles = [4 * references, ...waiting.slice(1)];
			const all = cycles.reduce((a, c) => a + c);
			const high = first.reduce((a, r) => a + r.h, 0);
			for (const r of first)
				near(
					r.h / high,
					cycles[colours.indexOf(r.fill)] / all,
					0.005,
					r.fill,
				);
		},

	"what is selected stands out and its area is its share": async (w) => {
		const page = await w.page(await w.serve(matmul(w)));
		const region = (await w.value(page, "regions"))[0].region;

		await page.evaluate(
			(r) => (globalThis.memlamp.trace.selection.value = { region: r }),
			region,
		);
		const chosen = await ask(page, `select?region=${region}`);
		const all = await ask(page, "select");
		await w.until("the rest is faint", async () =>
			(await cells(w, page)).found.some((r) => r.alpha < 1),
		);
		const { found } = await cells(w, page);
		const area = (list) => list.reduce((a, r) => a + r.w * r.h, 0);
		const whole = area(found.filter((r) => r.alpha < 1)); // bands wholly selected have none
		const full = area(found.filter((r) => r.alpha === 1));
		assert.ok(full > 0 && whole > full);
		const chart = rects(await timelineSvg(page)).filter((r) => r.y >= 14)[0];
		near(
			full / (chart.w * chart.h),
			chosen.references / all.references,
			0.02,
			"share of the selection",
		);
	},

	"shift and drag choose a window, the strip keeps the whole run": async (w) => {
		const page = await w.page(await w.serve(matmul(w)));
		const [b, n] = [await box(page), await w.value(page, "length")];
		const { colours } = await cells(w, page);
		const strip = async () =>
			rects(await timelineSvg(page)).filter(
				(r) => r.y + r.h <= 14.01 && colours.includes(r.fill),
			);
		const before = await strip();

		await drag(
			page,
			[b.x + b.width / 4, b.y + 60],
			[b.x + b.width / 2, b.y + 60],
			"Shift",
		);
		const chosen = await w.value(page, "chosenWindow");
		near(chosen.from, n / 4, n / b.width + 1, "from");
		near(chosen.to, n / 2, n / b.width + 1, "to");
		assert.deepEqual(await strip(), before);
		await page.keyboard.press("0");
		assert.equal(await w.value(page, "chosenWindow"), null);
	},

	"handles of the strip move the ends of the window": async (w) => {
		const page = await w.page(await w.serve(matmul(w)));
		const [b, n] = [await box(page), await w.value(page, "length")];

		await drag(
			page,
			[b.x + b.width - 2, b.y + 6],
			[b.x + b.width / 2, b.y + 6],
		);
		assert.equal((await w.value(page, "chosenWindow")).from, 0);
		near(
			(await w.value(page, "chosenWindow")).to,
			n / 2,
			(n / b.width) * 2,
			"to",
		);
		await drag(page, [b.x + 2, b.y + 6], [b.x + b.width / 4, b.y + 6]);
		near(
			(await w.value(page, "chosenWindow")).from,
			n / 4,
			(n / b.width) * 3,
			"from",
		);
		// The window as a whole:
		const { from, to } = await w.value(page, "chosenWindow");
		await drag(
			page,
			[b.x + (b.width * 3) / 8, b.y + 6],
			[b.x + (b.width * 5) / 8, b.y + 6],
		);
		const moved = await w.value(page, "chosenWindow");
		assert.equal(moved.to - moved.from, to - from);
		near(moved.from, from + n / 4, (n / b.width) * 2, "moved");
	},

	"a click goes to the reference under it, a drag selects a range and adds it up":
		async (w) => {
			const page = await w.page(await w.serve(matmul(w)));
			const b = await box(page);

			const start = multiply(w);

			await set(page, 0, { from: start, to: start + 100 });
			await page.mouse.click(b.x + b.width * 0.305, b.y + 60);
			assert.equal(await w.value(page, "cursor"), start + 30);
			await drag(
				page,
				[b.x + b.width * 0.796, b.y + 60],
				[b.x + b.width * 0.404, b.y + 60],
			);
			const range = { from: start + 40, to: start + 80 };
			assert.deepEqual(await w.value(page, "range"), range);
			assert.equal(await w.value(page, "cursor"), start + 30);
			const { outcome } = await columns(
				page,
				`sims/0/refs?from=${range.from}&count=40`,
			);
			const served = outcome.map((o) => o & 15); // L1, L2, memory
			const missed = [1, 2].map(
				(l) => served.filter((s) => s > l).length,
			);
			const waiting = served.reduce(
				(n, s) => n + [0, 10, 196][s - 1],
				0,
			);
			const section = page.locator(".section", { hasText: "Range" });
			await section
				.getByText(`40 references, ${waiting} cycles waiting`)
				.waitFor();
			// lines of both levels have 64 bytes
			const cellsOf = (i) =>
				section
					.locator("tbody tr")
					.nth(i)
					.locator("td")
					.allTextContents();
			for (const i of [0, 1]) {
				const [n, , fetched] = await cellsOf(i);
				assert.equal(Number(n), missed[i]);
				assert.equal(fetched, bytes(64 * missed[i]));
			}
			await w.quiet(page);
			assert.match(
				await timelineSvg(page),
				new RegExp(
					`40 references · ${missed[0]} miss L1 · ${missed[1]} miss L2`,
				),
			);
			await w.until("the address has it", () =>
				page.url().includes(`range=${start + 40}-${start + 80}`),
			);
			// an end can be moved
			await drag(
				page,
				[b.x + b.width * 0.4, b.y + 60],
				[b.x + b.width * 0.5, b.y + 60],
			);
			assert.deepEqual(await w.value(page, "range"), {
				from: start + 50,
				to: start + 80,
			});
			await section.getByTitle("make it the window").click();
			assert.deepEqual(await w.value(page, "chosenWindow"), {
				from: start + 50,
				to: start + 80,
			});
			await drag(
				page,
				[b.x + b.width * 0.2, b.y + 60],
				[b.x + b.width * 0.4, b.y + 60],
			);
			await page.keyboard.press("Escape");
			assert.equal(await w.value(page, "range"), null);
		},

	"the cursor can be dragged": async (w) => {
		const page = await w.page(await w.serve(matmul(w)));
		const b = await box(page);

		await set(page, 3000, { from: 2000, to: 4000 });
		await drag(
			page,
			[b.x + b.width / 2, b.y + 60],
			[b.x + b.width / 4, b.y + 60],
		);
		near(await w.value(page, "cursor"), 2500, 4, "cursor");
		assert.deepEqual(await w.value(page, "chosenWindow"), {
			from: 2000,
			to: 4000,
		});
	},

	"the wheel zooms to single references around the pointer": async (w) => {
		const page = await w.page(await w.serve(matmul(w)));
		const [b, n] = [await box(page), await w.value(page, "length")];
		const at = Math.floor(n * 0.4);

		await page.mouse.move(b.x + b.width * 0.4, b.y + 60);
		for (let i = 0; i < 30; i++) await page.mouse.wheel(0, -400);
		await w.until("16 references are shown", async () => {
			const c = await w.value(page, "chosenWindow");
			return c && c.to - c.from === 16;
		});
		const { from, to } = await w.value(page, "chosenWindow");
		assert.ok(from <= at + 16 && to >= at - 16, `${at} is not near ${from}`);
		const { colours } = await cells(w, page);
		const refs = await w.until("16 bars are drawn", async () => {
			const list = (await cells(w, page)).found;
			return list.length === 16 && list;
		});
		for (const [i, r] of refs.sort((x, y) => x.x - y.x).entries()) {
			const { served } = await ask(page, `at?time=${from + i}`);
			assert.equal(
				colours.indexOf(r.fill) + 1,
				served,
				`reference ${from + i}`,
			);
		}
	},

	"only what is seen is asked for": async (w) => {
		const page = await w.page(await w.serve(w.example("matmul.c", "60")));
		const asked = [];

		await cells(w, page);
		page.on(
			"request",
			(r) =>
				r.url().includes("/timeline?") &&
				asked.push(new URL(r.url())),
		);
		await set(page, 0, { from: 100000, to: 104000 });
		await w.until("it asks", () => asked.length);
		await w.quiet(page);
		assert.ok(asked.length <= 3, `${asked.length} questions`);
		for (const url of asked) {
			const get = (k) => Number(url.searchParams.get(k));
			assert.ok(get("cells") <= 1024);
			assert.ok(get("to") - get("from") <= 4096);
		}
		// Back in the same place nothing is asked again.
		await page.keyboard.press("0");
		await w.quiet(page);
		asked.length = 0;
		await set(page, 0, { from: 100000, to: 104000 });
		await w.quiet(page);
		assert.equal(asked.length, 0);
	},

	"pointing at a band pre-selects its level and tells its counts": async (w) => {
		const page = await w.page(await hand(w));
		const b = await box(page);

		await cells(w, page);
		await page.mouse.move(b.x + b.width * 0.08, b.y + 60);
		assert.deepEqual(await w.value(page, "hover"), { level: 2 });
		await page.locator(".tooltip", { hasText: "reference 0" }).waitFor();
		await page.locator(".tooltip", { hasText: "from memory" }).waitFor();
		await page.mouse.move(b.x + b.width * 0.42, b.y + 60);
		assert.deepEqual(await w.value(page, "hover"), { level: 1 });
		await page.locator(".brand").hover();
		assert.deepEqual(await w.value(page, "hover"), {});
	},

	"a click in the legend selects what a level served": async (w) => {
		const page = await w.page(await hand(w));

		await page.locator(".legend button", { hasText: "memory" }).click();
		assert.deepEqual(await w.value(page, "selection"), { level: 2 });
		await page.getByText("4 references,").waitFor();
	},

	"phases, marks, gaps and threads are marked": async (w) => {
		const page = await w.page(await events(w));
		const b = await box(page);
		const { phases, gaps } = await w.value(page, "trace");
		const n = await w.value(page, "length");
		await cells(w, page);
		const svg = await timelineSvg(page);

		assert.match(svg, />one</);
		assert.match(svg, />two</);
		assert.equal(gaps.length, 1);
		assert.equal(n, 8 + 8 + 40 + 64);
		// The axis is 16 high, above it two lanes of 6.
		await page.mouse.move(b.x + b.width * 0.9, b.y + b.height - 16 - 3);
		await page.locator(".tooltip", { hasText: "thread 2" }).waitFor();
		await page.locator(".tooltip", { hasText: "64 references" }).waitFor();
		await page.mouse.click(b.x + b.width * 0.9, b.y + b.height - 16 - 3);
		assert.deepEqual(await w.value(page, "selection"), { thread: 2 });
		await page.mouse.move(b.x + (gaps[0].time / n) * b.width, b.y + 50);
		await page
			.locator(".tooltip", {
				hasText: "1,000 references are missing (lost)",
			})
			.waitFor();
		// A click on a phase makes it the window.
		await page.mouse.click(b.x + b.width * 0.05, b.y + 25);
		const { from, to } = phases.find((p) => p.name === "one");
		assert.deepEqual(await w.value(page, "chosenWindow"), { from, to });
	},

	"temperatures are drawn as curves, one a level of cache": async (w) => {
		const page = await w.page(await w.serve(matmul(w)));
		const colours = await levelColours(page);

		await page.getByTitle("cache temperature", { exact: false }).click();
		await w.until("curves are drawn", async () => {
			const svg = await timelineSvg(page);
			return colours
				.slice(0, -1)
				.every((c) => svg.includes(`fill="none" stroke="${c}"`));
		});
	},
};
