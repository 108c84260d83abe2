// The sum of all cells of every view, against the counts that the server tells of the same
// references: of all, and of the selected ones.
import assert from "node:assert/strict";
import { ask } from "./drawn.mjs";
import { PATIENCE } from "./world.mjs";

const FIRST = 4; // cycles of the first level
const MACHINE = `L1 1K 4w 64B ${FIRST}c | L2 4K 8w 14c | memory 200c | TLB 4e full | TLB2 16e full 7c | walk 30c`;
const CORES = `cores 8 | ${MACHINE} | transfer 60c`;

/*
 * A run of so many million references to two arrays: line 1 walks over the first, which
 * fits nowhere, line 2 stays on one line of it, line 3 walks over the second, which fits
 * into L2. Several threads take it in turns.
 */
function run(w, millions, threads) {
	const turn = 100_000;
	const each = Math.ceil((millions * 10) / 3);
	const text = [
		"region far 0x1000000 6400000 8 800000",
		"region near 0x3000000 4096 8 512",
	];
	const second = Array(turn / 50)
		.fill("r0x3000000+64*50")
		.join("\n");
	const parts = [
		`L run.c:1\nw0x1000000+64*${turn}`,
		`L run.c:2\nr0x1000000*${turn}`,
		`L run.c:3\n${second}`,
	];

	for (const part of parts)
		for (let k = 0; k < each; k++)
			text.push(`thread ${1 + (k % threads)}`, part);
	return w.text(`sums-${millions}-${threads}`, `${text.join("\n")}\n`);
}

export async function openRun(w, millions, threads) {
	const machine = threads > 1 ? CORES : MACHINE;

	const address = await w.serve(run(w, millions, threads), { machine });
	const page = await w.page(address, { wait: false });

	// a long run takes a loaded machine minutes
	await w.until(
		"the simulation is ready",
		() =>
			page
				.evaluate(() => !!globalThis.memlamp?.trace.ready.value)
				.catch(() => false),
		10 * PATIENCE,
	);
	await w.ready(page);
	return page;
}

export const openTrace = async (w, trace) =>
	w.page(await w.serve(trace, { machine: MACHINE }));

const sum = (list) => list.reduce((a, b) => a + b, 0);

function near(is, should, what) {
	assert.ok(
		Math.abs(is - should) <= 1e-4 * Math.abs(should) + 1e-6,
		`${what}: ${is}, not ${should}`,
	);
}

async function show(w, page, view, options = {}) {
	await page.evaluate(
		([v, o]) => {
			const { store } = globalThis.memlamp;
			store.view.value = v;
			store.options.value = { ...store.options.value, ...o };
		},
		[view, options],
	);
	await w.quiet(page);
}

/** All references and the selected ones as the server counts them, and those of a region. */
async function counts(page, selection) {
	const text = new URLSearchParams(selection).toString();

	return {
		all: await ask(page, "select"),
		some: text ? await ask(page, `select?${text}`) : null,
	};
}

/** What the timeline holds: references and cycles, of all and of the selected ones. */
function timelineSums(page) {
	return page.evaluate(() => {
		const t = globalThis.memlamp.mounted.timeline;
		const { shownWindow } = globalThis.memlamp.trace;
		const out = { served: 0, waiting: 0, selected: 0, selectedWaiting: 0 };

		for (const { cells, window } of t.mainShown(
			shownWindow.value,
			t.counted(),
		))
			for (const key of Object.keys(out))
				for (let i = 0; cells[key] && i < cells.cells; i++) {
					const at = cells.first + i * cells.width;
					const parts = cells[key].length / cells.cells;
					if (
						at + cells.width <= window.from ||
						at >= window.to
					)
						continue;
					for (let k = 0; k < parts; k++)
						out[key] += cells[key][i * parts + k];
				}
		return out;
	});
}

async function checkTimeline(w, page, { all, some }) {
	const t = await w.until("the timeline has the selection", async () => {
		await w.quiet(page);
		const t = await timelineSums(page);
		return (!some || t.selected > 0 || !some.references) && t;
	});

	assert.equal(t.served, all.references);
	near(t.waiting, sum(all.waiting), "timeline, waiting");
	if (!some) return;
	assert.equal(t.selected, some.references);
	near(t.selectedWaiting, sum(some.waiting), "timeline, waiting of the selected");
}

async function checkOverview(w, page, { all, some }) {
	await show(w, page, "overview", { "overview.folded": "yes" });
	const rows = await page.evaluate(() => globalThis.memlamp.mounted.view.rows());

	for (const [name, list] of Object.entries(rows)) {
		near(
			sum(list.flatMap((r) => r.parts)),
			sum(all.waiting),
			`Overview, ${name}`,
		);
		assert.equal(sum(list.map((r) => r.references)), all.references);
		if (some)
			near(
				sum(list.flatMap((r) => r.chosen)),
				sum(some.waiting),
				`Overview, selected ${name}`,
			);
	}
	// the words that are drawn beside the first bar
	const first = rows.regions.find((r) => r.parts.length);
	const share = (100 * sum(first.parts)) / sum(all.waiting);
	const svg = await w.svg(page);
	assert.ok(
		svg.includes(`${share >= 99.95 ? 100 : share.toFixed(1)} %`) ||
			share < 10,
		`Overview says ${share} %`,
	);
}

async function checkEventMap(w, page, { all, some }) {
	await show(w, page, "eventmap");
	const m = await page.evaluate(() => {
		const v = globalThis.memlamp.mounted.view;
		const a = v.all.value;
		const out = { references: 0, cycles: 0, selected: 0 };

		for (let i = 0; i < a.cells; i++) {
			const from = Math.max(a.from, a.first + i * a.width);
			const n = Math.min(a.to, a.first + (i + 1) * a.width) - from;
			out.references += n;
			out.cycles += n * a.cycles[i];
		}
		for (const n of v.some.value?.selected ?? []) out.selected += n;
		return out;
	});

	assert.equal(m.references, all.references);
	near(m.cycles - FIRST * all.references, sum(all.waiting), "event map");
	if (some) assert.equal(m.selected, some.references);
}

async function checkTime(w, page, region, wanted) {
	await show(w, page, "plane", { "plane.region": String(region) });
	const p = await page.evaluate(() => {
		const a = globalThis.memlamp.mounted.view.answer.value;
		const out = { region: a.region, references: 0, cycles: 0 };

		for (let i = 0; i < a.reads.length; i++) {
			const n = a.reads[i] + a.writes[i];
			out.references += n;
			out.cycles += n * a.cycles[i];
		}
		return out;
	});

	assert.equal(p.region, region);
	assert.equal(p.references, wanted.references);
	near(p.cycles - FIRST * p.references, sum(wanted.waiting), "Time");
}

/** A reference counts for every cell that it touches: in these runs it touches one. */
async function checkHeat(w, page, region, wanted) {
	await show(w, page, "regions", {
		"regions.mode": "waiting",
		"regions.range": "run",
		"regions.show": String(region),
	});
	const heat = await page.evaluate((n) => {
		const { of } = globalThis.memlamp.mounted.view.heat.answers.value;
		const key = [...of.keys()].find((k) => k.split(":")[0] === String(n));

		return [...of.get(key).values].reduce((a, b) => a + b, 0);
	}, region);

	near(heat, sum(wanted.waiting), "heat map");
}

/** The sections beside the views: Levels, and the source. */
async function checkPanels(w, page, { all, some }) {
	const of = some ?? all;
	const text = await page.locator(".section", { hasText: /^Levels/ }).textContent();

	assert.ok(
		text.includes(`${of.references.toLocaleString("en")} references`),
		text,
	);
	const cycles = (FIRST + sum(of.waiting) / Math.max(1, of.references)).toFixed(2);
	assert.ok(
		text.replace(/\s+/g, " ").includes(`${cycles} cycles`),
		`${cycles}: ${text}`,
	);
}

/** Everything, for one selection; {} is none. `heat`: references touch one cell each. */
export async function checkAll(w, page, selection, { heat = true } = {}) {
	const query =
		selection.line === undefined
			? selection
			: { ...selection, line: `${selection.file}:${selection.line}` };
	if (selection.line !== undefined) delete query.file;
	await page.evaluate(
		(s) => (globalThis.memlamp.trace.selection.value = s),
		selection,
	);
	await w.quiet(page);
	const c = await counts(page, query);

	await checkTimeline(w, page, c);
	await checkOverview(w, page, c);
	await checkPanels(w, page, c);
	await checkEventMap(w, page, c);
	const regions = (await w.value(page, "regions")).filter((r) => r.extent);
	for (const { region } of regions.slice(0, 2)) {
		const wanted = c.all.regions.find((r) => r.region === region);
		if (!wanted) continue;
		await checkTime(w, page, region, wanted);
		if (heat) await checkHeat(w, page, region, wanted);
	}
}
