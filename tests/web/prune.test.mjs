// The views of a search space: what is drawn is what `memlamp query` says, and the lists
// move rings.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

// 100 variants: 10 survive, 20 fail a alone, 30 a and b, 40 a, b and c.
const NESTED = "hard:a,soft:b,hard:c,count\n0,0,0,10\n1,0,0,20\n1,1,0,30\n1,1,1,40\n";
const SMALL =
	"space small\na in 1..4\nb in 1..4\n" +
	'hard big: a * b > 4 "too big"\nsoft odd: b mod 2 != 0\n';

function file(w, name, text) {
	const path = join(w.scratch, name);

	writeFileSync(path, text);
	return path;
}

async function open(w, name, text, hash = "") {
	const page = await w.page(await w.serve(file(w, name, text)), {
		wait: false,
		hash: hash && `#${hash}`,
	});

	await settled(w, page);
	return page;
}

const settled = (w, page) =>
	w.until("the space is drawn", () =>
		page.evaluate(() => {
			const { prune: s } = globalThis.memlamp ?? {};
			const drawn = () =>
				s.sunburst.value ??
				s.combinations.value ??
				s.distributions.value;
			return !!s?.space.value && !!drawn() && globalThis.rests();
		}),
	);

const state = (page, name) =>
	page.evaluate((n) => globalThis.memlamp.prune[n].value, name);

const rows = (page, list) =>
	page.$$eval(`.prune-list.${list} [data-constraint]`, (all) =>
		all.map((e) => e.dataset.constraint),
	);

/** The point in the middle of a ring, at a share of the circle. */
async function point(page, share, ring) {
	const box = await page.locator(".stage .canvas canvas").first().boundingBox();
	const c = await page.evaluate(() => globalThis.memlamp.mounted.view.circle);
	const r = c.inner + ((c.outer - c.inner) * (ring + 0.5)) / c.rings;
	const a = 2 * Math.PI * share;

	return [box.x + c.x + r * Math.sin(a), box.y + c.y - r * Math.cos(a)];
}

async function drag(page, from, to, below = false) {
	const a = page.locator(`[data-constraint="${from}"]`);
	const b = page.locator(to);
	const box = await b.boundingBox();

	await a.dragTo(b, {
		targetPosition: {
			x: box.width / 2,
			y: below ? box.height - 3 : 3,
		},
	});
}

export const tests = {
	"hard constraints are visible first, and lists name rings from the outside":
		async (w) => {
			const page = await open(w, "nested.csv", NESTED);

			assert.deepEqual(await rows(page, "visible"), ["c", "a"]);
			assert.deepEqual(await rows(page, "hidden-ones"), ["b"]);
			assert.deepEqual(await state(page, "rings"), ["a", "c"]);
		},

	"a tooltip has total and relative percentages": async (w) => {
		const page = await open(w, "nested.csv", NESTED);

		// ring 1 is c: of the 100, a leaves 10, of which c eliminates none
		await page.mouse.move(...(await point(page, 0.9, 1)));
		await w.until("the tooltip", async () =>
			(await page.locator(".tooltip").textContent()).includes(
				"c (hard): fails",
			),
		);
		const text = await page.locator(".tooltip").innerText();
		assert.match(text, /40 variants, 40\.00 % of all/);
		assert.match(text, /total: eliminates 40\.00 %/);
		assert.match(text, /relative: 0 % of what the rings inside leave/);
	},

	"constraints are dragged between the lists and within them": async (w) => {
		const page = await open(w, "nested.csv", NESTED);

		await drag(page, "b", '[data-constraint="c"]');
		await w.until(
			"b is the outermost ring",
			async () => (await rows(page, "visible")).join() === "b,c,a",
		);
		await drag(page, "b", '[data-constraint="a"]', true);
		await w.until(
			"b is the innermost ring",
			async () => (await rows(page, "visible")).join() === "c,a,b",
		);
		assert.deepEqual(await state(page, "rings"), ["b", "a", "c"]);
		await drag(page, "a", ".prune-list.hidden-ones");
		await w.until(
			"a is hidden",
			async () => (await rows(page, "hidden-ones")).join() === "a",
		);
		// the server's numbers follow: behind b (70 of 100), c is reached by 30
		await w.until("relative numbers of the new order", async () => {
			const s = await state(page, "space");
			return s.constraints.find((c) => c.name === "c").reached === 30;
		});
		await page.keyboard.press("Control+z");
		await w.until(
			"undone",
			async () => (await rows(page, "visible")).join() === "c,a,b",
		);
	},

	"a click lists the variants of a sector, a double click zooms": async (w) => {
		const page = await open(w, "small.txt", SMALL);

		await page.evaluate(() =>
			globalThis.memlamp.prune.setRings(["big", "odd"]),
		);
		await settled(w, page);
		assert.match(
			await page.locator(".prune-side").innerText(),
			/16 variants, 3\s*survive/,
		);
		// big passes 8 of 16: of these odd passes 3, fails 5
		const at = await point(page, (3 + 2.5) / 16, 1);
		await page.mouse.click(...at);
		await w.until(
			"the variants of the sector",
			async () => (await state(page, "variants"))?.total === 5,
		);
		const listed = await page.$$eval(".prune-table tbody tr", (all) =>
			all.map((r) => [...r.cells].map((c) => c.textContent).join()),
		);
		assert.deepEqual(listed, ["1,1", "1,3", "2,1", "3,1", "4,1"]);
		await page.mouse.dblclick(...(await point(page, 0.25, 0)));
		await w.until(
			"the sector fills the circle",
			async () => (await state(page, "sunburst")).total === 8,
		);
		assert.deepEqual(await state(page, "drawn"), ["odd"]);
		const box = await page
			.locator(".stage .canvas canvas")
			.first()
			.boundingBox();
		const c = await page.evaluate(
			() => globalThis.memlamp.mounted.view.circle,
		);
		await page.mouse.click(box.x + c.x, box.y + c.y);
		await w.until(
			"all of it again",
			async () => (await state(page, "sunburst")).total === 16,
		);
	},

	"columns of the overlap are the combinations, bars the constraints": async (
		w,
	) => {
		const page = await open(w, "nested.csv", NESTED, "view=overlap");

		await w.until(
			"combinations",
			async () => !!(await state(page, "combinations")),
		);
		const csv = await page.evaluate(() =>
			globalThis.memlamp.mounted.view.exportText("csv"),
		);
		assert.equal(
			csv,
			"hard:a,soft:b,hard:c,count\n1,1,1,40\n1,1,0,30\n1,0,0,20\n0,0,0,10\n",
		);
		const svg = await w.svg(page);
		assert.match(svg, /90\.00 %/); // a
		assert.match(svg, /4 of 4 combinations/);
		assert.match(svg, /% of the row/);

		// a number of the matrix can be read on its cell, also on a light one on dark paper
		await page.emulateMedia({ colorScheme: "dark" });
		await w.quiet(page);
		const ink = (await w.svg(page)).match(
			/<text [^>]*fill="([^"]*)"[^>]*>100</,
		);
		assert.ok(ink && parseInt(ink[1].slice(1), 16) < 0x808080, ink?.[1]);
	},

	"histograms are those of the survivors": async (w) => {
		const page = await open(w, "small.txt", SMALL, "view=parameters");

		await w.until(
			"distributions",
			async () => !!(await state(page, "distributions")),
		);
		const d = await state(page, "distributions");
		assert.deepEqual(
			d.parameters.map((p) => p.counts),
			[
				[2, 1, 0, 0],
				[0, 2, 0, 1],
			],
		);
		assert.match(await w.svg(page), /3 survivors/);
	},

	"simulated variants are ranked, and colour their sectors": async (w) => {
		const space = file(
			w,
			"sweep.txt",
			"space sweep\nkib in 1, 4, 16\nhard none: kib > 16\nsoft tiny: kib < 4\n",
		);
		const source = file(
			w,
			"sweep.c",
			"#include <stdlib.h>\nstatic volatile char d[16384];\n" +
				"int main(int c, char **v) { int n = atoi(v[c - 1]) * 1024;\n" +
				"for (int i = 0; i < 9000; i++) d[i * 64 % n]++; return 0; }\n",
		);
		const results = join(w.scratch, "sweep.mle");

		execFileSync("cc", ["-g", "-O1", "-o", join(w.scratch, "sweep"), source]);
		w.memlamp(
			"prune",
			space,
			"-o",
			results,
			"--run",
			"./sweep {kib}",
			"-m",
			"L1 8K full 64B 4c | memory 100c",
		);
		const page = await w.page(await w.serve([space, results]), {
			wait: false,
			hash: "#view=sunburst",
		});
		await w.until("results", async () => {
			const t = await page.evaluate(
				() => globalThis.memlamp?.prune?.tuned.value,
			);
			return t?.simulated === 3;
		});
		await page.evaluate(() => globalThis.memlamp.prune.setRings(["tiny"]));
		await settled(w, page);
		// 1 and 4 KiB fit the cache, and the smaller misses less; 16 KiB thrash it
		const ranked = await page.$$eval(".prune-ranking tbody tr", (all) =>
			all.map((r) => r.cells[1].textContent),
		);
		assert.deepEqual(ranked, ["1", "4", "16"]);
		assert.match(
			await page.locator(".prune-side").innerText(),
			/tiny removes 1 of the 3 best, the very best among them/,
		);
		const { best, failed } = await page.evaluate(() => {
			const b = globalThis.memlamp.prune.sunburst.value;
			return { best: [...b.best], failed: [...b.failed] };
		});
		assert.deepEqual(failed, [0, 1]);
		assert.ok(best[0] > best[1]); // the sector that passes has 4 and 16
		await page.getByText("colour by result").click();
		assert.equal(await state(page, "colour"), "result");
		assert.match(await w.svg(page), /cycles of the best simulated variant/);
	},

	"twenty constraints have twenty names": async (w) => {
		const names = Array.from(
			{ length: 20 },
			(_, i) => `hard:constraint_${i}`,
		);
		const lines = Array.from({ length: 20 }, (_, i) =>
			[
				...names.map((_, k) =>
					Number(k === i || k % 7 === i % 7),
				),
				i + 1,
			].join(),
		);
		const page = await open(
			w,
			"twenty.csv",
			[[...names, "n"].join(), ...lines, ""].join("\n"),
		);
		const svg = await w.svg(page);

		for (let i = 0; i < 20; i++) assert.ok(svg.includes(`>constraint_${i}<`));
	},
};
