// The ensemble view on files that `memlamp ensemble` makes: what is drawn is what
// `memlamp query` says, and what follows by hand.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, renameSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

/*
 * r0 r64 r0 r128 r0 r64 with one, two and four lines: 6, 4 and 3 misses of 100 cycles, the
 * rest hits of 4: (600, 408, 312) / 6.
 */
const HAND = "r0 r64 r0 r128 r0 r64\n";
const HAND_CYCLES = { 64: 100, 128: 68, 256: 52 };
const HAND_MACHINES = "L1 {64,128,256} full 64B lru 4c | memory 100c";

/** Marks at 0, 8, 16 of 17 references, and at 2, 4 of 6: the first two of each match. */
const ONE = "mark sweep\nr0+64*8\nmark sweep\nr0+64*8\nmark sweep\nr0\n";
const TWO = "r0 r64\nmark sweep\nr0+64*2\nmark sweep\nr0+64*2\n";

function make(w, name, traces, ...options) {
	const key = `${name}.mle`;

	if (!w.traces.has(key)) {
		w.memlamp("ensemble", ...options, "-o", key, ...traces);
		w.traces.set(key, join(w.scratch, key));
	}
	return w.traces.get(key);
}

const hand = (w) => make(w, "hand3", [w.text("hand3", HAND)], "-m", HAND_MACHINES);
const sweeps = (w) =>
	make(
		w,
		"sweeps",
		[w.text("one", ONE), w.text("two", TWO)],
		"--match",
		"marks",
		"-m",
		"L1 512 full 64B lru 4c | memory 100c",
	);

/** A matrix product on 4 sizes x 2 associativities. */
function matmul(w) {
	if (!w.traces.has("mm16.mlt")) {
		w.memlamp("import", "--model", "matmul 16 8", "-o", "mm16.mlt");
		w.traces.set("mm16.mlt", join(w.scratch, "mm16.mlt"));
	}
	return make(
		w,
		"mm16",
		[w.traces.get("mm16.mlt")],
		"-m",
		"L1 {256,512,1K,2K} {1,2}w 64B lru 4c | memory 100c",
	);
}

/** What a route answers to the command line: JSON, or columns with their header. */
function query(w, file, route) {
	const out = execFileSync(
		join(w.build, "memlamp"),
		["query", file, `/api/${route}`],
		{
			cwd: w.scratch,
			maxBuffer: 1 << 28,
			env: { ...process.env, XDG_CACHE_HOME: join(w.scratch, "cache") },
		},
	);

	if (out.toString("latin1", 0, 4) !== "MLC1") return JSON.parse(out.toString());
	const size = out.readUInt32LE(4);
	const header = JSON.parse(out.toString("utf8", 8, 8 + size));
	const column = {};
	let at = 8 + size;
	for (const { name, type, count } of header.columns) {
		at = (at + 7) & ~7;
		column[name] = Array.from({ length: count }, (_, i) =>
			type === "f32"
				? out.readFloatLE(at + 4 * i)
				: out.readUInt32LE(at + 4 * i),
		);
		at += 4 * count;
	}
	return { header, column };
}

async function open(w, file, hash = "", size) {
	const page = await w.page(await w.serve(file), {
		wait: false,
		hash: hash && `#${hash}`,
		size,
	});

	await settled(w, page);
	return page;
}

/** Waits until all answers are there and drawn. */
async function settled(w, page) {
	await w.until("the ensemble is drawn", () =>
		page.evaluate(() => {
			const { ensemble: s } = globalThis.memlamp ?? {};
			if (!s?.ranking.value || !s.curves.value) return false;
			if (s.figure.value?.plot !== s.plot.value) return false;
			return globalThis.rests();
		}),
	);
}

const state = (page, name) =>
	page.evaluate((n) => globalThis.memlamp.ensemble[n].value, name);

/** Where the plot stands: box, range of values, window of time. */
const plane = (page) =>
	page.evaluate(() =>
		JSON.parse(JSON.stringify(globalThis.memlamp.mounted.view.plane)),
	);

/** Colours of the members as the ranking has them. */
function colours(page) {
	return page.evaluate(() =>
		Object.fromEntries(
			[...document.querySelectorAll("tr[data-member]")].map((r) => [
				r.dataset.member,
				`#${getComputedStyle(r.querySelector(".mark"))
					.backgroundColor.match(/\d+/g)
					.map((v) =>
						Number(v).toString(16).padStart(2, "0"),
					)
					.join("")}`,
			]),
		),
	);
}

/** The curve of a member in the plot: points in pixels, and their values. */
async function curve(w, page, member) {
	const colour = (await colours(page))[member];
	const { box, range } = await plane(page);
	const path = [
		...(await w.svg(page)).matchAll(
			/<path d="([^"]*)" fill="none" stroke="([^"]*)" stroke-width="([^"]*)"/g,
		),
	].find(
		([, d, c, thick]) =>
			c === colour && Number(thick) > 1.1 && d.split("L").length > 3, // no key
	);

	if (!path) return null;
	return path[1]
		.split(/[ML]/)
		.slice(1)
		.map((p) => p.split(" ").map(Number))
		.map(([x, y]) => ({
			x,
			y,
			value:
				range.high -
				((y - box.y) / box.h) * (range.high - range.low),
		}));
}

/** The palettes of the page, from its source. */
async function palettes(w) {
	const { transformSync } = createRequire(join(w.root, "web/package.json"))(
		"esbuild",
	);
	const { code } = transformSync(
		readFileSync(join(w.root, "web/src/draw/colours.ts"), "utf8"),
		{ loader: "ts", format: "esm" },
	);

	return import(`data:text/javascript,${encodeURIComponent(code)}`);
}

async function place(page, x, y) {
	const b = await page.locator(".stage .canvas canvas").first().boundingBox();

	return [b.x + x, b.y + y];
}

const rankingText = (page) =>
	page.evaluate(() =>
		[...document.querySelectorAll("tr[data-member]")].map((r) =>
			[...r.querySelectorAll("td")].map((c) => c.textContent.trim()),
		),
	);

/** What is written in the picture; the whole of it would be megabytes in a message. */
async function says(w, page, text, does = true) {
	const words = [...(await w.svg(page)).matchAll(/>([^<>\n]+)<\/text>/g)].map(
		(m) => `>${m[1]}<`,
	);

	assert.equal(
		words.some((x) => text.test(x)),
		does,
		`${text} in ${words.join(" ")}`,
	);
}

const close = (a, b, by, what) =>
	assert.ok(Math.abs(a - b) <= by, `${what}: ${a} and ${b}`);

export const tests = {
	"an ensemble opens first, and ranks its members as simulated by hand": async (
		w,
	) => {
		const page = await open(w, hand(w));

		assert.equal(await w.value(page, "view"), "ensemble");
		assert.deepEqual(
			await rankingText(page),
			[256, 128, 64].map((s) => [
				String(s),
				HAND_CYCLES[s] >= 100
					? "100.0"
					: HAND_CYCLES[s].toFixed(2),
			]),
		);
		assert.equal(
			await w.value(page, "sim"),
			null,
			"nothing is simulated for it",
		);
	},

	"an ensemble opens with what it was made with, and choices take it back": async (
		w,
	) => {
		const file = make(
			w,
			"made",
			[w.text("one", ONE), w.text("two", TWO)],
			...["--match", "marks", "-w", "4", "--volume"],
			...["--measure", "miss", "--against", "two"],
			...["-m", "L1 512 full 64B lru 4c | memory 100c"],
		);
		const page = await open(w, file);
		const state = () =>
			page.evaluate(() => {
				const s = globalThis.memlamp.ensemble;
				return [
					s.time.value,
					s.smooth.value,
					s.volume.value,
					s.measure.value,
					s.against.value,
				];
			});

		assert.deepEqual(await state(), ["matched", "4", true, "miss", 1]);
		await page
			.getByTitle("common time of the traces")
			.getByRole("combobox")
			.selectOption("raw");
		await page.getByTitle("a hundredth of the window").click();
		await page
			.getByTitle("what is plotted")
			.getByRole("combobox")
			.selectOption("time");
		await page
			.getByTitle("a member whose values are subtracted")
			.getByRole("combobox")
			.selectOption({ label: "nothing" });
		const chosen = ["raw", "auto", true, "time", null];
		assert.deepEqual(await state(), chosen);
		await w.until("the address has it", () =>
			page.url().includes("o.ensemble.against="),
		);
		await page.reload();
		await settled(w, page);
		assert.deepEqual(await state(), chosen);
	},

	"threads that share a cache are what a file opens with that was made for them":
		async (w) => {
			const file = make(
				w,
				"madeshared",
				[w.text("hand3", HAND)],
				...["--shared", "2", "--total", "256"],
				...[
					"-m",
					"L1 {64,128,192} full 64B lru 4c | memory 100c",
				],
			);
			const page = await w.page(await w.serve(file), { wait: false });

			await w.until("it is drawn", () =>
				page.evaluate(
					() =>
						globalThis.memlamp?.ensemble.figure.value
							?.plot === "shared",
				),
			);
			assert.equal(
				await page.evaluate(
					() =>
						globalThis.memlamp.ensemble.figure.value
							.total,
				),
				256,
			);
		},

	"what a file cannot do is disabled, with the reason": async (w) => {
		const file = make(
			w,
			"plain2",
			[w.text("plain1", "r0+64*20\n"), w.text("plain2", "r0+64*30\n")],
			...["-m", "L1 512 full 64B lru 4c | memory 100c"],
		);
		// an address from another ensemble does not break it either
		const page = await open(
			w,
			file,
			"o.ensemble.time=matched&o.ensemble.plot=workingset",
		);

		assert.equal(await w.value(page, "view"), "ensemble");
		assert.deepEqual(
			await page.evaluate(() => {
				const s = globalThis.memlamp.ensemble;
				return [s.time.value, s.plot.value];
			}),
			["raw", "curves"],
		);
		const matched = page.locator("option[value=matched]");
		assert.equal(await matched.evaluate((o) => o.disabled), true);
		assert.match(await matched.textContent(), /no common milestone.*--match/);
		for (const name of ["working set", "shared cache"]) {
			const button = page.getByRole("button", { name, exact: true });
			assert.equal(await button.isDisabled(), true, name);
			assert.match(
				await button.getAttribute("title"),
				/do not differ in the size of a cache/,
			);
		}
	},

	"curves are those that memlamp query prints": async (w) => {
		const file = matmul(w);
		const page = await open(w, file);
		const { cells } = await state(page, "curves");
		const { header, column } = query(
			w,
			file,
			`ensembles/0/figure?plot=curves&measure=time&time=raw&cells=${cells}`,
		);
		const { range } = await plane(page);

		assert.equal(header.members.length, 8);
		for (const m of [0, 5, 7]) {
			const drawn = await curve(w, page, m);
			// Members of the same size share a colour: one of them is drawn so.
			const same = header.members.filter((n) => n >> 1 === m >> 1);
			assert.equal(drawn.length, cells);
			const by = (range.high - range.low) / 4000;
			assert.ok(
				same.some((n) =>
					drawn.every(
						(p, i) =>
							Math.abs(
								p.value -
									column.mean[
										n *
											cells +
											i
									],
							) <= by,
					),
				),
				`member ${m}`,
			);
		}
	},

	"pointing at a curve tells its member, value and place in the trace": async (
		w,
	) => {
		const page = await open(w, hand(w));
		const drawn = await curve(w, page, 2);
		const at = drawn[Math.floor((drawn.length * 2.5) / 6)]; // reference 2: a hit

		close(at.value, 4, 0.6, "value");
		await page.mouse.move(...(await place(page, at.x, at.y)));
		// Of 128 and 256, which agree there, one is nearest; only 64 differs.
		const hovered = await w.until("it is pointed at", () =>
			state(page, "hovered"),
		);
		assert.ok([1, 2].includes(hovered));
		const end = drawn[Math.floor((drawn.length * 5.5) / 6)]; // reference 5: only 256 hits
		await page.mouse.move(...(await place(page, end.x, end.y)));
		await w.until(
			"256 is pointed at",
			async () => (await state(page, "hovered")) === 2,
		);
		const tip = await page.locator(".stage .tooltip").innerText();
		assert.match(tip, /^256\n4\.\d+ cycles/);
		assert.match(tip, /its reference 5/);
		assert.match(tip, /52\.00 cycles over the run/);
		await page.locator('tr[data-member="2"].lit').waitFor();
		await page
			.locator(".ensemble-values button.lit", { hasText: "256" })
			.waitFor();
		assert.match(
			await page
				.locator('.ensemble-readout[data-member="2"]')
				.innerText(),
			/L1 256 full/,
		);
		await page.mouse.move(...(await place(page, end.x, drawn[0].y)));
		await w.until(
			"another one is",
			async () => (await state(page, "hovered")) !== 2,
		);
	},

	"a value of the legend hides its members, shift shows it alone, undo goes back":
		async (w) => {
			const page = await open(w, matmul(w));
			const value = (name, v) =>
				page
					.locator(
						`.ensemble-parameter[data-parameter="${name}"] .ensemble-values button`,
					)
					.filter({ hasText: new RegExp(`^${v}$`) });
			const members = () =>
				state(page, "shown").then((l) => l.map((m) => m.member));

			await value("L1 size", "256").click();
			await settled(w, page);
			assert.deepEqual(await members(), [2, 3, 4, 5, 6, 7]);
			await says(w, page, />6 of 8 members/);
			assert.equal((await rankingText(page)).length, 6);
			assert.deepEqual(
				(await state(page, "curves")).members,
				[2, 3, 4, 5, 6, 7],
			);
			await value("L1 ways", "2").click({ modifiers: ["Shift"] });
			await settled(w, page);
			assert.deepEqual(await members(), [3, 5, 7]);
			await page.keyboard.press("Control+z");
			assert.deepEqual(await members(), [2, 3, 4, 5, 6, 7]);
			await page.keyboard.press("Control+z");
			assert.equal((await members()).length, 8);
		},

	"the difference of a member from itself is zero everywhere": async (w) => {
		const file = matmul(w);
		const page = await open(w, file, "o.ensemble.against=5");
		const c = await state(page, "curves");
		const zero = Object.values(c.mean).slice(5 * c.cells, 6 * c.cells);

		assert.ok(zero.every((v) => v === 0));
		const { rows } = query(
			w,
			file,
			"ensembles/0/table?measure=time&time=raw&against=5",
		);
		const all = query(
			w,
			file,
			"ensembles/0/table?measure=time&time=raw",
		).rows;
		const of = (list, m) => list.find((r) => r.member === m).value;
		for (const { member, value } of rows)
			close(
				value,
				of(all, member) - of(all, 5),
				1e-9,
				`member ${member}`,
			);
		await says(w, page, /, less 1K 2w/);
		const text = Object.fromEntries(await rankingText(page));
		assert.equal(text["1K 2w"], "0");
		assert.match(text["256 1w"], /^\+/);
		// The key x subtracts what is selected, or nothing when it is subtracted already.
		await page.locator('tr[data-member="5"]').click();
		await page.keyboard.press("x");
		assert.equal(await state(page, "against"), null);
	},

	"a jump opens the trace and machine of a member at its moment": async (w) => {
		const page = await open(w, matmul(w), "o.ensemble.focus=4000~8000");
		const { box } = await plane(page);
		const drawn = await curve(w, page, 0);
		const middle = drawn[Math.floor(drawn.length / 2)];

		await page.mouse.click(
			...(await place(page, box.x + box.w / 2, middle.y)),
		);
		const [member] = await w.until("one is selected", async () => {
			const list = await state(page, "pinned");
			return list.length === 1 && list;
		});
		const at = await state(page, "at");
		close(at, 6000, 10, "moment");
		await page.getByRole("button", { name: "Regions here" }).click();
		await w.ready(page);
		const { machine } = (await state(page, "ensemble")).members[member];
		assert.equal((await w.value(page, "sim")).machine, machine);
		assert.match((await w.value(page, "trace")).path, /mm16\.mlt$/);
		assert.equal(await w.value(page, "cursor"), at);
		assert.deepEqual(await w.value(page, "chosenWindow"), {
			from: 4000,
			to: 8000,
		});
		assert.equal(await w.value(page, "view"), "regions");
		// And back.
		await page.keyboard.press("1");
		await settled(w, page);
		assert.deepEqual(await state(page, "pinned"), [member]);
		await page.getByRole("button", { name: "Cache rings here" }).click();
		await w.until(
			"the rings are there",
			async () => (await w.value(page, "view")) === "rings",
		);
	},

	"two selected members are laid over each other": async (w) => {
		const page = await open(w, hand(w), "o.ensemble.at=3");
		const button = page.getByRole("button", {
			name: "Visual diff of the two",
		});

		assert.ok(await button.isDisabled());
		await page.locator('tr[data-member="0"]').click();
		await page.locator('tr[data-member="2"]').click();
		await button.click();
		const second = await w.until("both are simulated", () =>
			w.value(page, "compared"),
		);
		assert.match((await w.value(page, "sim")).machine, /^L1 64 /);
		assert.match(second.machine, /^L1 256 /);
		await w.until(
			"the moment is kept",
			async () => (await w.value(page, "cursor")) === 3,
		);
		await w.until(
			"it is shown",
			async () => (await w.value(page, "view")) === "ringsDiff",
		);
	},

	"matched time has milestones in line, circles of volume and a sentence": async (
		w,
	) => {
		const file = sweeps(w);
		const page = await open(w, file, "o.ensemble.time=matched");
		const told = query(w, file, "ensembles/0/matching?time=matched&base=0");

		assert.deepEqual(told.knots, [
			[0, 0],
			[8, 4],
			[17, 6],
		]);
		await w.until("they are told", () => state(page, "matching"));
		const { box } = await plane(page);
		const svg = await w.svg(page);
		const x = (t) => box.x + (t / 17) * box.w;
		const lines = [
			...svg.matchAll(
				/<path d="M([\d.]+) ([\d.]+)L([\d.]+) ([\d.]+)"/g,
			),
		]
			.map((m) => m.slice(1).map(Number))
			.filter(([a, top, b]) => a === b && Math.abs(top - box.y) < 1)
			.map(([a]) => a);
		assert.ok(
			lines.some((a) => Math.abs(a - x(8)) <= 1),
			`a line at ${x(8)}: ${lines}`,
		);
		// Circles: 8 and 9 references of one, 4 and 2 of two; areas go by them.
		const discs = await page.evaluate(() => {
			const { discs, figure } = globalThis.memlamp.mounted.view;
			return discs.map((v) => [v.axis, figure.texts[v.row], v.r]);
		});
		assert.deepEqual(
			discs.map(([t, text]) => [t, text]),
			[
				["one", "8 references between 0 and 8"],
				["one", "9 references between 8 and 17"],
				["two", "4 references between 0 and 8"],
				["two", "2 references between 8 and 17"],
			],
		);
		close(discs[2][2] ** 2 / discs[0][2] ** 2, 0.5, 0.01, "areas");
		await page
			.locator(".ensemble-unequal", { hasText: told.unequal[0] })
			.waitFor();
		// At the milestone each trace is at its own mark.
		const places = await page.evaluate(() => {
			const s = globalThis.memlamp.ensemble;
			return s.ensemble.value.members.map((m) => s.positionIn(m, 8));
		});
		assert.deepEqual(places, [8, 4]);
		await page
			.getByLabel("common time of the traces")
			.selectOption("normalised");
		await settled(w, page);
		assert.equal(await state(page, "end"), 1);
	},

	"keys, wheel and the strip below change the window; the address keeps it": async (
		w,
	) => {
		const page = await open(w, matmul(w));
		const width = async () => {
			const f = await state(page, "focus");
			return f.to - f.from;
		};
		const whole = await width();

		await page.keyboard.press("w");
		const zoomed = await width();
		close(zoomed, whole / 1.5, 1, "zoom");
		await page.keyboard.press("d");
		assert.ok((await state(page, "focus")).from > whole / 6 + 1, "later");
		await w.until("the address has it", async () => {
			const now = (await w.value(page, "options"))["ensemble.focus"];
			return (
				new URLSearchParams(
					new URL(page.url()).hash.slice(1),
				).get("o.ensemble.focus") === now
			);
		});
		const hash = new URL(page.url()).hash.slice(1);
		const other = await open(w, matmul(w), hash);
		assert.deepEqual(await state(other, "focus"), await state(page, "focus"));
		await other.close();
		await page.keyboard.press("0");
		assert.equal(await width(), whole);
		const { box } = await plane(page);
		const strip = await page.evaluate(
			() => globalThis.memlamp.mounted.view.context,
		);
		const y = strip.y + strip.h / 2;
		await page.mouse.move(
			...(await place(page, strip.x + strip.w * 0.25, y)),
		);
		await page.mouse.down();
		await page.mouse.move(...(await place(page, strip.x + strip.w * 0.4, y)));
		await page.mouse.move(...(await place(page, strip.x + strip.w * 0.5, y)));
		await page.mouse.up();
		const f = await state(page, "focus");
		close(f.from, whole / 4, whole / 200, "from");
		close(f.to, whole / 2, whole / 200, "to");
		await page.mouse.move(
			...(await place(page, box.x + box.w / 2, box.y + 50)),
		);
		await page.mouse.wheel(0, -400);
		await w.until("it zooms", async () => (await width()) < whole / 4.5);
		await settled(w, page);
		const c = await state(page, "curves");
		const now = await state(page, "focus");
		assert.deepEqual([c.from, c.to], [now.from, now.to]);
	},

	"CSV and JSON hold the numbers that are drawn": async (w) => {
		const file = matmul(w);
		const page = await open(
			w,
			file,
			"o.ensemble.focus=1000~3000&o.ensemble.measure=miss",
		);
		const [download] = await Promise.all([
			page.waitForEvent("download"),
			page.getByRole("button", { name: "CSV" }).click(),
		]);
		const text = readFileSync(await download.path(), "utf8");
		const rows = text
			.trim()
			.split("\n")
			.map((l) => l.split(","));
		const { column, header } = query(
			w,
			file,
			`ensembles/0/figure?measure=miss&level=1&time=raw&from=1000&to=3000&cells=${rows.length - 1}`,
		);

		assert.equal(download.suggestedFilename(), "mm16-ensemble.csv");
		assert.deepEqual(rows[0].slice(0, 3), ["time", "256 1w", "256 2w"]);
		assert.equal(rows.length - 1, header.cells);
		for (const i of [0, 100, header.cells - 1])
			for (const m of [0, 7])
				close(
					Number(rows[i + 1][m + 1]),
					column.mean[m * header.cells + i],
					1e-6,
					`row ${i}`,
				);
		const json = JSON.parse(
			await page.evaluate(() =>
				globalThis.memlamp.mounted.view.exportText("json"),
			),
		);
		assert.equal(json.curves.unit, "share");
		close(
			json.curves.members[3].mean[5],
			column.mean[3 * header.cells + 5],
			1e-6,
			"JSON",
		);
	},

	"parameters against the result: lines, logarithms, heat map": async (w) => {
		const file = matmul(w);
		const page = await open(
			w,
			file,
			"o.ensemble.plot=parameter&o.ensemble.measure=miss",
		);
		const spots = () =>
			page.evaluate(() =>
				globalThis.memlamp.mounted.view.spots.map((s) => ({
					x: s.x,
					y: s.y,
					w: s.w,
					member: s.member,
				})),
			);
		const list = await w.until("they are drawn", async () => {
			const l = await spots();
			return l.length === 8 && l;
		});
		const x = [...new Set(list.map((s) => Math.round(s.x)))].sort(
			(a, b) => a - b,
		);
		const { rows } = query(
			w,
			file,
			"ensembles/0/table?measure=miss&level=1&time=raw",
		);

		assert.equal(x.length, 4);
		close(x[1] - x[0], x[3] - x[2], 1, "each step doubles");
		const order = [...list].sort((a, b) => b.y - a.y).map((s) => s.member);
		const value = new Map(rows.map((r) => [r.member, r.value]));
		for (let i = 1; i < order.length; i++)
			assert.ok(value.get(order[i]) >= value.get(order[i - 1]) - 1e-9);
		await page.mouse.move(...(await place(page, list[0].x, list[0].y)));
		await w.until(
			"it is read",
			async () => (await state(page, "hovered")) !== null,
		);
		await page.getByRole("button", { name: "heat map" }).click();
		const cells = await w.until("cells are drawn", async () => {
			const l = await spots();
			return l.length === 8 && l[0].w > 0 && l;
		});
		assert.equal(new Set(cells.map((s) => Math.round(s.y))).size, 2);
		const csv = await page.evaluate(() =>
			globalThis.memlamp.mounted.view.exportText("csv"),
		);
		assert.match(csv, /^member,label,L1 size,L1 ways,value,run,references\n/);
	},

	"the page and memlamp ensemble --plot draw the same figure": async (w) => {
		const file = matmul(w);
		const words = (svg) =>
			[...svg.matchAll(/>([^<>\n]+)<\/text>/g)].map((m) => m[1]);
		const told = (page, plot) =>
			w.until(`the figure of ${plot} is there`, () =>
				page.evaluate((id) => {
					const s = globalThis.memlamp.ensemble;
					const f = s.figure.value;
					const [width, height] = [
						s.room.value,
						s.frame.value,
					];
					return (
						f?.plot === id && {
							...f,
							column: null,
							width,
							height,
						}
					);
				}, plot),
			);
		const page = await open(w, file); // defaults are the same on both sides
		const plots = (await state(page, "ensemble")).plots.map((p) => p.id);

		assert.equal(plots.length, 7);
		for (const plot of plots) {
			await page.evaluate(
				(id) => globalThis.memlamp.ensemble.choosePlot(id),
				plot,
			);
			const f = await told(page, plot);
			await settled(w, page);
			w.memlamp(
				"ensemble",
				file,
				"--plot",
				"same.svg",
				"--as",
				plot,
				// and what is around the frame of the picture
				"--height",
				String(f.height + 110),
				"--width",
				String(f.width + 238),
			);
			const svg = readFileSync(join(w.scratch, "same.svg"), "utf8");
			const drawn = await w.svg(page);
			const both = (text) => {
				assert.ok(
					words(drawn).some((x) =>
						x.startsWith(text.slice(0, 30)),
					),
					`${text} on the page (${plot})`,
				);
				assert.ok(
					words(svg).some((x) => x.includes(text)),
					`${text} in the SVG (${plot})`,
				);
			};

			both(f.title);
			for (const { title, axes, above, below } of f.panels) {
				for (const text of [title, above, below])
					if (text) both(text);
				for (const { id, label, ticks } of axes)
					for (const text of id === "area"
						? []
						: [label, ...ticks.map((t) => t.text)])
						if (text) both(text);
			}
			for (const { title, keys } of f.legend)
				for (const text of [title, ...keys.map((k) => k.text)])
					if (text) both(text);
			// The colours of data: strokes of lines, or fills of cells.
			const marks =
				plot === "map"
					? /fill="(#[0-9a-f]{6})"[^>]*><title>/g
					: /<path fill="none" stroke="(#[0-9a-f]{6})"/g;
			const data = new Set([...svg.matchAll(marks)].map((m) => m[1]));
			assert.ok(data.size > 0);
			for (const c of data)
				assert.ok(drawn.includes(`"${c}"`), `${c} on the page`);
		}
	},

	"the colours of the page are those of the program": async (w) => {
		const { light, darkPalette } = await palettes(w);
		const source = readFileSync(
			join(w.root, "lib/query/drawing/picture.c"),
			"utf8",
		);
		const hex = (list) => list.map((c) => c.toString(16).padStart(6, "0"));

		for (const [name, p] of [
			["light", light],
			["dark", darkPalette],
		]) {
			const body = source
				.split(`ml_palette_${name} = {`)[1]
				.split("};")[0];
			const told = [...body.matchAll(/0x([0-9a-f]{6})/g)].map(
				(m) => m[1],
			);
			assert.deepEqual(
				told,
				hex([
					p.background,
					p.panel,
					p.grid,
					p.text,
					p.muted,
					p.cursor,
					p.empty,
					p.read,
					p.write,
					...p.levels,
					...p.heat,
				]),
				name,
			);
		}
	},

	"working sets and shared caches are those of memlamp query": async (w) => {
		const file = matmul(w);
		const page = await open(
			w,
			file,
			"o.ensemble.plot=workingset&o.ensemble.size=L1 size&o.ensemble.smooth=256",
		);
		const ws = await w.until("it is there", () => state(page, "workingSet"));
		const told = query(
			w,
			file,
			`ensembles/0/figure?plot=workingset&size=L1%20size&tolerance=0.05&measure=time&time=raw&window=256&cells=${ws.cells}`,
		);
		const list = Object.values(ws.bytes);
		told.column.bytes.forEach((b, i) =>
			assert.ok(
				Object.is(list[i], b) ||
					(list[i] == null && Number.isNaN(b)),
				`cell ${i}`,
			),
		);
		await page.getByRole("button", { name: "shared cache" }).click();
		const a = await w.until("ways are there", () =>
			state(page, "sharedCache"),
		);
		const ways = query(
			w,
			file,
			`ensembles/0/figure?plot=shared&size=L1%20size&threads=2&measure=time&time=raw&window=256&cells=${a.cells}`,
		);
		assert.equal(a.ways, ways.header.ways);
		assert.deepEqual(Object.values(a.member), ways.column.member);
		const csv = await page.evaluate(() =>
			globalThis.memlamp.mounted.view.exportText("csv"),
		);
		assert.equal(csv.trim().split("\n").length, 1 + a.ways);
		await page
			.locator("h3", { hasText: `${a.ways} ways to share` })
			.waitFor();
		// Pointing at a way tells its sizes: the words of the server's figure.
		await w.quiet(page);
		const { box, range } = await plane(page);
		const cell = Math.floor(a.cells / 2);
		const value = a.mean[cell];
		await page.mouse.move(
			...(await place(
				page,
				box.x + ((cell + 0.5) / a.cells) * box.w,
				box.y +
					box.h *
						(1 -
							(value - range.low) /
								(range.high - range.low)),
			)),
		);
		await w.until("it is told", async () =>
			/\+ .*\n.*\n\d of 2 threads starved/.test(
				await page.locator(".stage .tooltip").innerText(),
			),
		);
	},

	"small charts: one for each value, pointing finds the member, a click selects it":
		async (w) => {
			const page = await open(
				w,
				matmul(w),
				"o.ensemble.plot=multiples",
			);
			const charts = () =>
				page.evaluate(() => {
					const { frames, figure } =
						globalThis.memlamp.mounted.view;
					return frames.map(({ x, y, w, h, panel }) => ({
						title: figure.panels[panel].title,
						box: { x, y, w, h },
						members: figure.panels[panel].marks
							.filter((m) => m.type === "curve")
							.map((m) => m.member),
					}));
				});
			// The sizes have the colours, so each associativity has a chart.
			const list = await w.until("they are drawn", async () => {
				const l = await charts();
				return l.length === 2 && l;
			});
			assert.deepEqual(
				list.map((c) => [c.title, c.members]),
				[
					["L1 ways 1", [0, 2, 4, 6]],
					["L1 ways 2", [1, 3, 5, 7]],
				],
			);
			await page.getByLabel("a chart for each").selectOption("member");
			const each = await w.until("eight are", async () => {
				const l = await charts();
				return l.length === 8 && l;
			});
			const { x, y, w: width, h } = each[6].box;
			await page.mouse.click(
				...(await place(page, x + width / 2, y + h / 2)),
			);
			assert.deepEqual(await state(page, "pinned"), [6]);
			close(
				await state(page, "at"),
				(await state(page, "end")) / 2,
				100,
				"moment",
			);
		},

	"mean and deviation across members are those of memlamp query; the table sorts":
		async (w) => {
			const file = hand(w);
			const page = await open(
				w,
				file,
				"o.ensemble.across=on&o.ensemble.weights=0,1",
			);
			const c = await state(page, "curves");
			// Weights 0 and 1 make it the miss ratio: reference 2 misses in 1 of 3 members.
			const i = Math.floor((c.cells * 2.5) / 6);
			close(c.average[i], 1 / 3, 0.01, "mean");
			close(c.spread[i], Math.sqrt(2) / 3, 0.01, "deviation");
			await says(w, page, />standard deviation across members</);
			const names = async () =>
				(await rankingText(page)).map(([n]) => n);
			assert.deepEqual(await names(), ["256", "128", "64"]);
			await page.getByRole("button", { name: /^run/ }).click();
			assert.deepEqual(await names(), ["64", "128", "256"]);
			await page.keyboard.press("v");
			await settled(w, page);
			await says(w, page, />standard deviation across members</, false);
		},

	"search finds plots and members, help tells what the pointer does": async (w) => {
		const page = await open(w, matmul(w));

		assert.match(
			await page.locator(".ensemble-extremes").innerText(),
			/best\s+2K 2w [\d.]+ cycles\s+worst\s+256 1w [\d.]+ cycles [\d.]+ times/,
		);
		for (const [text, name, value] of [
			["heat map", "plot", "map"],
			["1K 2w", "pinned", [5]],
			["colour by L1 ways", "colourBy", 1],
		]) {
			await page.keyboard.press("/");
			await page.keyboard.type(text);
			await page.keyboard.press("Enter");
			assert.deepEqual(await state(page, name), value, text);
		}
		await page.keyboard.press("?");
		await page.locator(".help", { hasText: "On an ensemble" }).waitFor();
	},

	"without its traces an ensemble is still shown, and says what it cannot": async (
		w,
	) => {
		const trace = w.text("gone", HAND);
		const file = make(w, "gone", [trace], "-m", HAND_MACHINES);

		renameSync(trace, `${trace}.away`);
		const page = await open(w, file);
		assert.equal((await rankingText(page)).length, 3);
		assert.ok(await page.getByRole("tab", { name: "Regions" }).isDisabled());
		await page.keyboard.press("3");
		assert.equal(await w.value(page, "view"), "ensemble");
		await page.locator('tr[data-member="1"]').click();
		const button = page.getByRole("button", { name: "Regions here" });
		assert.ok(await button.isDisabled());
		assert.match(
			await button.getAttribute("title"),
			/gone\.mlt is not there any more/,
		);
		await says(w, page, />3 members/);
	},
};
