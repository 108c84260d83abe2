// What is drawn is what is counted: the cells of a view, added up, against the counts that
// the server tells, in runs of a million references and more, with and without a selection.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ask, levelColours, rects, timelineSvg } from "./drawn.mjs";
import { checkAll, openRun, openTrace } from "./sums.mjs";

const MACHINE = "L1 1K 4w 64B 4c | L2 4K 8w 64B 14c | memory 200c";

/*
 * A run of so many million references: line 1 walks over an array that fits nowhere, line
 * 2 stays on one line, line 3 walks over an array that fits into L2; each a third. Several
 * threads take it in turns of a tenth of a million.
 */
function run(w, millions, threads = 1) {
	const turn = 100_000;
	const parts = [
		(n) => `L run.c:1\nr0x1000000+64*${n}`,
		(n) => `L run.c:2\nr0x2000000*${n}`,
		(n) =>
			Array(n / 50)
				.fill("r0x3000000+64*50")
				.join("\n"),
	];
	const text = [];

	for (const [i, part] of parts.entries())
		for (let k = 0, n = Math.floor((millions * 10) / 3); k < n; k++) {
			text.push(`thread ${1 + (k % threads)}`);
			text.push(i === 2 ? `L run.c:3\n${part(turn)}` : part(turn));
		}
	return w.text(`run-${millions}-${threads}`, `${text.join("\n")}\n`);
}

const serve = async (w, ...what) => w.serve(run(w, ...what), { machine: MACHINE });

async function select(w, page, selection) {
	await page.evaluate((s) => globalThis.memlamp.trace.select(s, true), selection);
	await w.quiet(page);
}

/** Rectangles of the timeline's chart, and of the lanes of threads below it. */
async function timeline(page) {
	const levels = await levelColours(page);
	const all = rects(await timelineSvg(page)).filter((r) => r.y >= 14);

	return {
		cells: all.filter((r) => levels.includes(r.fill)),
		chart: all[0],
		lanes: all.filter((r) => r.h === 5 && r.fill !== all[0].fill),
	};
}

function near(is, should, by, what) {
	assert.ok(Math.abs(is - should) <= by, `${what}: ${is}, not about ${should}`);
}

/** Two loops in functions of their own, on arrays of their own. */
function twoFunctions(w, option) {
	const key = `two-functions${option}`;

	if (!w.traces.has(key)) {
		const program = join(w.scratch, key);
		writeFileSync(
			`${program}.c`,
			`static double a[1 << 14], b[1 << 12];

			__attribute__((noinline)) static void one(void)
			{
				for (int i = 0; i < 1 << 16; i++)
					a[i * 37 % (1 << 14)] += 1;
			}

			__attribute__((noinline)) static void other(void)
			{
				for (int i = 0; i < 1 << 15; i++)
					b[i % (1 << 12)] += a[i % 7];
			}

			int main(void)
			{
				one();
				other();
			}`,
		);
		execFileSync("cc", ["-O1", option, `${program}.c`, "-o", program]);
		w.memlamp("record", "-o", `${program}.mlt`, "--", program);
		w.traces.set(key, `${program}.mlt`);
	}
	return w.traces.get(key);
}

export const tests = {
	...Object.fromEntries(
		[1, 6, 12].map((millions) => [
			`what is selected stands where it runs, in ${millions} million references`,
			async (w) => {
				const page = await w.page(await serve(w, millions));

				await page
					.getByRole("button", {
						name: "misses",
						exact: true,
					})
					.click();
				for (const line of [1, 2, 3]) {
					await select(w, page, { file: 0, line });
					const { cells, chart } = await timeline(page);
					const chosen = cells.filter((r) => r.alpha === 1);
					const area = chosen.reduce(
						(a, r) => a + r.w * r.h,
						0,
					);
					const left = Math.min(...chosen.map((r) => r.x));
					const right = Math.max(
						...chosen.map((r) => r.x + r.w),
					);

					// a third of the run is the line's, wholly
					near(
						area / (chart.w * chart.h),
						1 / 3,
						0.01,
						`area of line ${line}`,
					);
					near(
						left / chart.w,
						(line - 1) / 3,
						0.01,
						`begin of line ${line}`,
					);
					near(
						right / chart.w,
						line / 3,
						0.01,
						`end of line ${line}`,
					);
					// and all the rest is there, faint
					const faint = cells.filter((r) => r.alpha < 1);
					const rest = faint.reduce(
						(a, r) => a + r.w * r.h,
						0,
					);
					near(
						rest / (chart.w * chart.h),
						2 / 3,
						0.02,
						"the rest",
					);
				}
			},
		]),
	),

	...Object.fromEntries(
		[
			[1, 1],
			[1, 8],
			[10, 1],
			[10, 8],
		].map(([millions, threads]) => [
			`cells of every view add up to the counts, in ${millions} million references of ${threads} threads`,
			async (w) => {
				const page = await openRun(w, millions, threads);

				for (const selection of [
					{},
					{ file: 0, line: 1 },
					{ region: 2 },
					{ level: 3 },
				])
					await checkAll(w, page, selection);
			},
		]),
	),

	...Object.fromEntries(
		[
			["with", "-g"],
			["without", "-s"],
		].map(([word, option]) => [
			`cells of every view add up to the counts, in a program ${word} symbols`,
			async (w) => {
				const page = await openTrace(w, twoFunctions(w, option));
				const { lines } = await ask(page, "select");
				const chosen = lines.find(
					(l) => l.func && l.references > 1000,
				);

				await checkAll(w, page, {}, { heat: false });
				await checkAll(
					w,
					page,
					chosen.file === null
						? { func: chosen.func }
						: {
								file: chosen.file,
								line: chosen.line,
							},
					{ heat: false },
				);
			},
		]),
	),

	"the axis of shares stands beside the run, and says that it is cut": async (
		w,
	) => {
		const page = await w.page(await serve(w, 1));
		const axis = page.locator(".share-axis");
		const canvas = await page
			.locator(".timeline canvas")
			.first()
			.boundingBox();

		await w.until("it is there", () => axis.locator("span").count());
		for (const label of await axis.locator("span").all()) {
			const b = await label.boundingBox();
			assert.ok(
				b.x >= 0 && b.x + b.width <= canvas.x,
				JSON.stringify(b),
			);
		}
		assert.match(await axis.textContent(), /^100 %/);
		assert.match(
			await axis.getAttribute("title"),
			/shares of the references/,
		);
	},

	"lanes of threads show where each runs": async (w) => {
		// thread 1 alone for 3 million references, then thread 2 for as many
		const trace = w.text(
			"in-turn",
			"thread 1\nL a.c:1\nr0x1000*3000000\nthread 2\nr0x2000*3000000\n",
		);
		const page = await w.page(await w.serve(trace, { machine: MACHINE }));
		const ends = ({ lanes }) =>
			[...new Set(lanes.map((r) => r.y))]
				.sort((a, b) => a - b)
				.map((y) => {
					const lane = lanes.filter((r) => r.y === y);
					return [
						Math.min(...lane.map((r) => r.x)),
						Math.max(...lane.map((r) => r.x + r.w)),
					];
				});

		const found = await w.until("both lanes are drawn", async () => {
			const t = await timeline(page);
			return ends(t).length === 2 && t;
		});
		const [one, two] = ends(found);
		near(one[0], 0, 2, "begin of thread 1");
		near(one[1] / found.chart.w, 0.5, 0.01, "end of thread 1");
		near(two[0] / found.chart.w, 0.5, 0.01, "begin of thread 2");
		near(two[1], found.chart.w, 2, "end of thread 2");
	},

	"lanes of recorded threads show where each runs": async (w) => {
		const trace = w.program(
			"alone-then-together",
			`#include <pthread.h>
			static double a[8][1024];

			static void *work(void *p)
			{
				double *m = p;

				for (int k = 0; k < 80; k++)
					for (int i = 0; i < 1024; i++)
						m[i] += k;
				return 0;
			}

			int main(void)
			{
				pthread_t t[7];

				for (int k = 0; k < 40; k++)
					work(a[0]);
				for (int k = 0; k < 7; k++)
					pthread_create(&t[k], 0, work, a[k + 1]);
				for (int k = 0; k < 7; k++)
					pthread_join(t[k], 0);
			}`,
		);
		const page = await w.page(await w.serve(trace, { machine: MACHINE }));
		const n = await w.value(page, "length");
		const { threads } = await w.value(page, "trace");
		assert.ok(n > 6e6 && threads.length === 8, `${n} references`);
		const lanes = await w.until("lanes are drawn", async () => {
			const t = await timeline(page);
			return new Set(t.lanes.map((r) => r.y)).size === 8 && t;
		});
		const tops = [...new Set(lanes.lanes.map((r) => r.y))].sort(
			(a, b) => a - b,
		);
		for (const [i, { thread }] of [...threads]
			.sort((a, b) => a.thread - b.thread)
			.entries()) {
			const lane = lanes.lanes.filter((r) => r.y === tops[i]);
			const drawn = lane.reduce(
				(s, r) => s + r.w * ((r.alpha - 0.15) / 0.85),
				0,
			);
			const { references } = await ask(page, `select?thread=${thread}`);

			near(
				drawn / lanes.chart.w,
				references / n,
				0.005,
				`thread ${thread}`,
			);
		}
	},
};
