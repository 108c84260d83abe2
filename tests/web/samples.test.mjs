// The views of samples: what is drawn is what `memlamp samples` prints; pointing and
// selecting in one view is seen in all.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const lulesh = (w) => join(w.root, "tests/samples/lulesh");

function file(w, name, text) {
	const path = join(w.scratch, name);

	mkdirSync(join(path, ".."), { recursive: true });
	writeFileSync(path, text);
	return path;
}

async function open(w, files, hash = "", size) {
	const page = await w.page(await w.serve(files), {
		wait: false,
		hash: hash && `#${hash}`,
		size,
	});

	await settled(w, page);
	return page;
}

/** Waits until the answers of the shown view are there and stay. */
const settled = (w, page) =>
	w.until("the samples are drawn", () =>
		page.evaluate(() => {
			const s = globalThis.memlamp?.samples;
			const now = () => [
				s.counts.value ??
					s.oneAxis.value ??
					s.loads.value ??
					s.offenders.value,
				// parallel coordinates alone have none
				s.offenders.value ?? s.counts.value,
				s.totals.value,
			];
			return (
				!!s?.info.value &&
				now().every((x) => x) &&
				globalThis.rests()
			);
		}),
	);

const state = (page, name) =>
	page.evaluate((n) => globalThis.memlamp.samples[n].value, name);

/** The left top of the picture on the page. */
async function corner(page) {
	const box = await page.locator(".stage .canvas canvas").first().boundingBox();

	return [box.x, box.y];
}

/** Where the axis of a column stands, and its frame. */
async function axis(page, column) {
	const [x, y] = await corner(page);
	const at = await page.evaluate((name) => {
		const s = globalThis.memlamp.samples;
		const part = globalThis.memlamp.mounted.view.parallel;
		const i = s.axes.value.indexOf(s.columnNamed(name));
		return { x: part.axisAt(i), ...part.frame, bins: s.counts.value.bins[i] };
	}, column);

	return { ...at, x: at.x + x, top: at.top + y, bottom: at.bottom + y };
}

/** The y of the middle of a bin. */
const binY = (a, bin) => a.bottom - ((a.bottom - a.top) * (bin + 0.5)) / a.bins;

const selectedBy = (w, text) =>
	JSON.parse(
		w.memlamp(
			"query",
			lulesh(w),
			`/api/samples/0/select?select=${encodeURIComponent(text)}`,
		),
	).selected;

export const tests = {
	"a folder of samples opens with hardware, offenders and axes": async (w) => {
		const page = await open(w, lulesh(w));
		const svg = await w.svg(page);
		const printed = JSON.parse(w.memlamp("samples", lulesh(w), "--json"));
		const side = await page.locator(".samples-side").innerText();
		const rows = await page.evaluate(
			() => globalThis.memlamp.samples.info.value.rows,
		);

		for (const text of ["NUMA", "L3", "Data objects", "m_x", "latency (log)"])
			assert.ok(svg.includes(text), text);
		assert.match(side.replace(/,/g, ""), new RegExp(`samples\\s+${rows}`));
		// the worst line is the first of the command's table
		const worst = printed.lines?.[0]?.name ?? "";
		const line = await state(page, "shownLine");
		assert.equal(`${line.file}:${line.line}`, worst);
	},

	"pointing at a bin pre-selects its samples everywhere": async (w) => {
		const page = await open(w, lulesh(w));
		const a = await axis(page, "cpu");

		await page.mouse.move(a.x + 4, binY(a, 9));
		await w.until("the pre-selection", async () => {
			const c = await state(page, "counts");
			return c?.also && (await state(page, "hover")) === "cpu = 9";
		});
		await settled(w, page);
		const wanted = selectedBy(w, "cpu = 9");
		const seen = await page.evaluate(() => {
			const s = globalThis.memlamp.samples;
			return [
				s.counts.value.also.samples,
				s.loads.value.also.samples[0],
				s.offenders.value.groups.reduce((n, g) => n + g.also, 0),
				s.selected.value,
			];
		});
		assert.deepEqual(seen, [wanted, wanted, wanted, ""]);
		assert.match(await page.locator(".tooltip").innerText(), /cpu: 9/);
	},

	"a drag along an axis selects; ranges of several axes intersect; undo": async (
		w,
	) => {
		const page = await open(w, lulesh(w));
		const brush = async (column, from, to) => {
			const a = await axis(page, column);
			await page.mouse.move(a.x + 3, binY(a, from));
			await page.mouse.down();
			await page.mouse.move(a.x + 3, binY(a, to), { steps: 4 });
			await page.mouse.up();
			await settled(w, page);
		};

		await brush("cpu", 4, 7);
		assert.equal(await state(page, "selected"), "cpu 4..7");
		await brush("variable", 0, 1);
		const text = "cpu 4..7 and variable #0..#1";
		assert.equal(await state(page, "selected"), text);
		assert.equal((await state(page, "totals")).selected, selectedBy(w, text));
		await brush("cpu", 8, 9);
		assert.equal(
			await state(page, "selected"),
			"variable #0..#1 and cpu 8..9",
		);
		await w.until("the URL", () =>
			page.evaluate(() => location.hash.includes("samples.select")),
		);
		await page.keyboard.press("Control+z");
		assert.equal(await state(page, "selected"), text);
		await page.keyboard.press("i");
		await settled(w, page);
		assert.equal(
			(await state(page, "totals")).selected,
			selectedBy(w, `not (${text})`),
		);
		await page.keyboard.press("Escape");
		assert.equal(await state(page, "selected"), "");
	},

	"shift adds and alt is exclusive or": async (w) => {
		const page = await open(w, lulesh(w));
		const click = async (bin, key) => {
			const a = await axis(page, "cpu");
			if (key) await page.keyboard.down(key);
			await page.mouse.click(a.x + 3, binY(a, bin));
			if (key) await page.keyboard.up(key);
			await settled(w, page);
		};

		await click(1);
		await click(2, "Shift");
		assert.equal(await state(page, "selected"), "(cpu = 1) or (cpu = 2)");
		await click(2, "Alt");
		const text = "((cpu = 1) or (cpu = 2)) xor (cpu = 2)";
		assert.equal(await state(page, "selected"), text);
		assert.equal(
			(await state(page, "totals")).selected,
			selectedBy(w, "cpu = 1"),
		);
	},

	"while a brush is drawn all axes follow it, before it selects": async (w) => {
		const page = await open(w, lulesh(w), "view=parallel");
		const a = await axis(page, "cpu");

		await page.mouse.move(a.x + 3, binY(a, 4));
		await page.mouse.down();
		for (const to of [5, 7]) {
			await page.mouse.move(a.x + 3, binY(a, to), { steps: 3 });
			const text = `cpu 4..${to}`;
			await w.until(`the samples of ${text}`, async () => {
				const now = await state(page, "counts");
				return now.also?.samples === selectedBy(w, text);
			});
			assert.equal(await state(page, "selected"), "");
		}
		await page.mouse.up();
		assert.equal(await state(page, "selected"), "cpu 4..7");
	},

	"axes are dragged like tabs, removed and added by name": async (w) => {
		const page = await open(w, lulesh(w), "view=parallel");
		const shown = () =>
			page.evaluate(() => {
				const s = globalThis.memlamp.samples;
				return s.axes.value.map(
					(a) => s.info.value.columns[a].column,
				);
			});
		const before = await shown();
		const [from, to] = [
			await axis(page, before[1]),
			await axis(page, before[3]),
		];

		await page.mouse.move(from.x, from.top - 26);
		await page.mouse.down();
		await page.mouse.move(to.x, from.top - 26, { steps: 6 });
		await page.mouse.up();
		await settled(w, page);
		assert.deepEqual(await shown(), [
			before[0],
			before[2],
			before[3],
			before[1],
			...before.slice(4),
		]);
		const first = await axis(page, before[0]);
		await page.mouse.dblclick(first.x, first.top - 26);
		await w.until(
			"removed",
			async () => !(await shown()).includes(before[0]),
		);
		await page.getByLabel("add an axis").fill("tlb");
		await page.keyboard.press("Enter");
		await w.until("added", async () => (await shown()).at(-1) === "tlb_miss");
	},

	"a click on a resource selects its samples, in both shapes": async (w) => {
		for (const shape of ["sunburst", "icicle"]) {
			const page = await open(
				w,
				lulesh(w),
				`view=topology&o.samples.shape=${shape}`,
			);
			const [x, y] = await corner(page);
			const at = await page.evaluate((sunburst) => {
				const part = globalThis.memlamp.mounted.view.hardware;
				const t = globalThis.memlamp.samples.tree.value;
				const i = t.nodes.findIndex((n) => n.label === "CPU 3");
				const middle = (t.from[i] + t.to[i]) / 2;
				if (!sunburst) {
					const r = part.rows;
					return [
						r.box.x + middle * r.box.w,
						r.box.y + (t.depth[i] + 0.7) * r.step,
					];
				}
				const r = part.ring;
				const far = r.inner + (t.depth[i] - 0.3) * r.step;
				const a = 2 * Math.PI * middle;
				return [r.x + far * Math.sin(a), r.y - far * Math.cos(a)];
			}, shape === "sunburst");

			await page.mouse.click(x + at[0], y + at[1]);
			await settled(w, page);
			assert.equal(await state(page, "selected"), 'resource = "CPU 3"');
			assert.equal(
				(await state(page, "totals")).selected,
				selectedBy(w, "cpu = 3"),
			);
			assert.match(await page.locator(".tooltip").innerText(), /CPU 3/);
		}
	},

	"resources without samples stand apart, and hundreds of CPUs are drawn": async (
		w,
	) => {
		const cpus = Array.from(
			{ length: 512 },
			(_, i) =>
				`<Cache id="1" size="32768"><CPU id="${i}"></CPU></Cache>`,
		);
		const half = (from) =>
			`<NUMA id="${from ? 1 : 0}" size="1"><Cache id="3" size="1">${cpus.slice(from, from + 256).join("")}</Cache></NUMA>`;

		file(
			w,
			"many/hardware.xml",
			`<Hardware id="0" name="many">${half(0)}${half(256)}</Hardware>`,
		);
		file(
			w,
			"many/data/samples.csv",
			`cpu,latency,level,line,source\n${Array.from({ length: 300 }, (_, i) => `${i},${20 + i},L1,${i % 7},a.c`).join("\n")}\n`,
		);
		const page = await open(w, join(w.scratch, "many"), "view=topology");
		const svg = await w.svg(page);
		const { tree, empty } = await page.evaluate(() => {
			const s = globalThis.memlamp.samples;
			return {
				tree: s.tree.value.nodes.length,
				empty: [...s.loads.value.samples].filter((n) => n === 0)
					.length,
			};
		});
		const arcs = (colour) => svg.split(`fill="${colour}"`).length - 1;

		assert.equal(tree, 1 + 2 + 2 + 512 + 512);
		// of the machine's CPUs and first-level caches 212 each, memories and L3 all
		assert.equal(empty, 212 * 2 + 4);
		assert.equal(arcs("#9fb0c8") - 1, empty); // one more in the key
	},

	"clusters along an attribute are drawn and selected": async (w) => {
		const page = await open(
			w,
			lulesh(w),
			"view=histogram&o.samples.along=4&o.samples.clusters=4",
		);

		await w.until("clusters", async () =>
			page.evaluate(
				() =>
					globalThis.memlamp.samples.clusterLoads.value
						?.length === 4,
			),
		);
		const printed = JSON.parse(
			w.memlamp(
				"samples",
				lulesh(w),
				"--json",
				"--show",
				"clusters",
				"--along",
				"iter",
				"--metric",
				"imbalance",
				"--clusters",
				"4",
			),
		);
		const list = await state(page, "clusters");
		assert.deepEqual(
			list.map((c) => [c.from, c.to, c.samples]),
			(printed.clusters ?? printed).map((c) => [
				c.from,
				c.to,
				c.samples,
			]),
		);
		const [x, y] = await corner(page);
		const box = await page.evaluate(
			() => globalThis.memlamp.mounted.view.numbers.plan_.glyphs,
		);
		await page.mouse.click(x + box.x + box.w * 0.375, y + box.y + box.h / 2);
		await w.until("the cluster is selected", async () => {
			const text = await state(page, "selected");
			return text === `iter ${list[1].from}..${list[1].to}`;
		});
		assert.match(await w.svg(page), /imbalance I of CPU in \d+ windows/);
	},

	"an attribute of names has a bar a name": async (w) => {
		const page = await open(w, lulesh(w), "view=histogram&o.samples.along=0");
		const svg = await w.svg(page);
		const rows = JSON.parse(
			w.memlamp(
				"samples",
				lulesh(w),
				"--json",
				"--show",
				"variables",
				"--by",
				"samples",
			),
		);
		const list = rows.variables ?? rows;

		assert.ok(svg.indexOf(list[0].name) < svg.indexOf(list[1].name));
		assert.match(
			svg,
			new RegExp(`>${list[0].samples.toLocaleString("en")} `),
		);
	},

	"words in the search box are commands": async (w) => {
		const page = await open(w, lulesh(w));

		await page.keyboard.press("/");
		await page.keyboard.type("miss L1");
		await page.keyboard.press("Enter");
		await settled(w, page);
		const text = await state(page, "selected");
		assert.match(text, /^level = L2 or level = L3/);
		assert.equal((await state(page, "totals")).selected, selectedBy(w, text));
		await page.keyboard.press("/");
		await page.keyboard.type("hide timest");
		await page.keyboard.press("Enter");
		await w.until("the axis is hidden", () =>
			page.evaluate(() => {
				const s = globalThis.memlamp.samples;
				return !s.axes.value.includes(s.columnOf("time"));
			}),
		);
		await page.keyboard.press("/");
		await page.keyboard.type("zidx with laten");
		await page.keyboard.press("Enter");
		const side = await page.evaluate(() => {
			const s = globalThis.memlamp.samples;
			const at = s.axes.value.indexOf(s.columnNamed("zidx"));
			return s.info.value.columns[s.axes.value[at + 1]].column;
		});
		assert.equal(side, "latency");
	},

	"columns are mapped on the page": async (w) => {
		const path = file(
			w,
			"odd.csv",
			"wait,who,cpu,latency\n30,a,0,1\n50,b,1,2\n",
		);
		const page = await open(w, path);

		assert.equal((await state(page, "totals")).cycles, 3);
		await page
			.locator(".samples-side")
			.getByText("columns", { exact: true })
			.click();
		await page.getByLabel("latency", { exact: true }).selectOption("wait");
		await page.getByLabel("variable", { exact: true }).selectOption("who");
		await page.getByRole("button", { name: "Read again" }).click();
		await w.until(
			"cycles",
			async () => (await state(page, "totals"))?.cycles === 80,
		);
		await settled(w, page);
		assert.deepEqual(
			(await state(page, "offenders")).objects.map((o) => [
				o.name,
				o.cycles,
			]),
			[
				["b", 50],
				["a", 30],
			],
		);
	},

	"a window moves along an axis": async (w) => {
		const page = await open(w, lulesh(w));
		const seen = new Set();

		await page.keyboard.press("Space");
		await w.until("three places", async () => {
			seen.add(await state(page, "hover"));
			return [...seen].filter(Boolean).length >= 3;
		});
		await page.keyboard.press("Space");
		assert.equal(await state(page, "hover"), "");
	},

	"what is special about a selection is said, and related axes are offered": async (
		w,
	) => {
		const page = await open(w, lulesh(w), "o.samples.select=map3D%20%3D%201");

		await w.until(
			"special",
			async () => (await state(page, "special"))?.length > 0,
		);
		const side = await page.locator(".samples-side").innerText();
		assert.match(side, /What is special about this selection/);
		assert.match(side, /zidx \d+ to \d+\s+[\d.]+ % not 0 %/);
		assert.doesNotMatch(side, /map3D 1\s/); // it was selected

		await w.until(
			"related",
			async () => (await state(page, "related"))?.length > 0,
		);
		await page.locator(".samples-click", { hasText: "with" }).first().click();
		const [a, b] = await page.evaluate(() => {
			const s = globalThis.memlamp.samples;
			const r = s.related.value.find((x) => x.share < 0.995);
			return [
				s.axes.value.indexOf(s.columnNamed(r.column)),
				s.axes.value.indexOf(s.columnNamed(r.with)),
			];
		});
		assert.equal(b - a, 1);
	},

	"two sets are compared line by line": async (w) => {
		const one = file(
			w,
			"one.csv",
			"source,line,latency,variable\na.c,1,100,x\na.c,2,10,y\n",
		);
		const two = file(
			w,
			"two.csv",
			"source,line,latency,variable\na.c,1,40,x\na.c,3,5,y\n",
		);
		const page = await open(w, [one, two], "view=samplesDiff");

		await w.until("compared", async () => !!(await state(page, "compared")));
		const csv = await page.evaluate(() =>
			globalThis.memlamp.mounted.view.exportText("csv"),
		);
		assert.match(
			csv,
			/Lines,a\.c:1,1,100,1,40,-60\nLines,a\.c:2,1,10,0,0,-10\nLines,a\.c:3,0,0,1,5,5\n/,
		);
		assert.match(csv, /Data objects,x,1,100,1,40,-60/);
		// 110 cycles before, 45 after
		assert.match(await w.svg(page), /−59\.1 % cycles/);
	},

	"samples stand beside the simulation of a trace": async (w) => {
		const trace = w.text(
			"besides",
			"region far 0x10000 8192\nr 0x10000 8 1 x.c:5 main\nr 0x11000 8 1 x.c:5 main\nr 0x10000 8 1 x.c:6 main\n",
		);
		const samples = file(
			w,
			"x.csv",
			"source,line,latency,variable\nx.c,5,10,far\nx.c,6,90,far\n",
		);
		const page = await open(w, [samples, trace], "view=beside");

		await w.until("simulated", async () => !!(await state(page, "beside")));
		const csv = await page.evaluate(() =>
			globalThis.memlamp.mounted.view.exportText("csv"),
		);
		// two misses of 200 cycles at line 5, a hit of 4 at line 6
		assert.match(
			csv,
			/line,x\.c:5,1,10,,0\.1,2,200,1,0\.99\d*,faster than simulated/,
		);
		assert.match(
			csv,
			/line,x\.c:6,1,90,,0\.9,1,4,0,0\.00\d*,slower than simulated/,
		);
	},
};
