// How fast the views of samples are: from a moved brush to the counts and to the picture.
//
//	node tests/web/bench_samples.mjs BUILD [ROWS | FILE.mlh]
//
// ROWS (302,391) rows of 20 columns are made by bench_samples. Best and median of 20, wall
// clock, and the processor time of the server and of the page's process for each brush, which
// other load hardly changes. A brush covers a third of an axis and moves by half a bin of 100.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { World, launch } from "./world.mjs";

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const build = resolve(process.argv[2] ?? join(root, "build"));
const scratch = mkdtempSync(join(tmpdir(), "memlamp-bench-"));
const what = process.argv[3] ?? "302391";
const STEPS = 20;

function table() {
	if (!/^\d+$/.test(what)) return resolve(what);
	const [text, file] = [join(scratch, "s.csv"), join(scratch, "s.mlh")];

	execFileSync(join(build, "bench_samples"), ["make", what, text]);
	execFileSync(join(build, "memlamp"), ["import", text, "-o", file]);
	return file;
}

function say(name, times) {
	const sorted = times.slice().sort((a, b) => a - b);
	const ms = (x) => x.toFixed(1).padStart(7);

	console.log(
		`  ${name.padEnd(34)} best ${ms(sorted[0])} ms, median ${ms(sorted[sorted.length >> 1])} ms`,
	);
}

/** Ticks of 10 ms that processes with a word in their command line have used, by parent. */
function used(word, parents) {
	const all = readdirSync("/proc").filter((n) => /^\d+$/.test(n));
	const read = (n, name) => {
		try {
			return readFileSync(`/proc/${n}/${name}`, "utf8");
		} catch {
			return ""; // it has ended
		}
	};
	const stat = (n) =>
		read(n, "stat")
			.replace(/^.*\) /, "")
			.split(" ");
	const parent = new Map(all.map((n) => [n, stat(n)[1]]));
	const mine = (n) => {
		for (let at = n; at && at !== "1"; at = parent.get(at))
			if (parents.includes(Number(at))) return true;
		return false;
	};

	return all
		.filter((n) => read(n, "cmdline").includes(word) && mine(n))
		.reduce((sum, n) => sum + Number(stat(n)[11]) + Number(stat(n)[12]), 0);
}

/*
 * Milliseconds from a moved brush to new counts, to the picture that the page itself draws
 * from them, and of script in all pictures since the move.
 */
function brush(page, text) {
	return page.evaluate(async (selection) => {
		const s = globalThis.memlamp.samples;
		const { view } = globalThis.memlamp.mounted;
		const told = { script: 0, drawn: () => {} };

		delete view.paint; // that of the last step
		const paint = view.paint;
		view.paint = () => {
			const from = performance.now();
			paint.call(view);
			told.script += performance.now() - from;
			told.drawn();
		};
		const start = performance.now();
		// a subscriber is told the present value first
		await new Promise((done) => {
			let calls = 0;
			const stop = s.counts.subscribe(() => {
				if (!calls++) return;
				queueMicrotask(() => stop());
				done();
			});
			s.hover.value = selection; // as a brush that is drawn does
		});
		const answered = performance.now();
		await new Promise((done) => (told.drawn = done));
		return [answered - start, performance.now() - start, told.script];
	}, text);
}

const browser = await launch(root);
const world = new World({
	browser,
	viewport: { width: 1280, height: 800 },
	build,
	root,
	scratch,
});
try {
	const address = await world.serve(table());
	const page = await world.page(address, {
		wait: false,
		hash: "#view=parallel",
	});

	await world.until("the axes", () =>
		page
			.evaluate(() => !!globalThis.memlamp?.samples?.counts.value)
			.catch(() => false),
	);
	const columns = await page.evaluate(
		() => globalThis.memlamp.samples.info.value.columns,
	);
	// all numeric columns, as axes
	await page.evaluate(() => {
		const s = globalThis.memlamp.samples;
		s.setAxes(s.info.value.columns.map((_, i) => i).slice(0, 20));
	});
	await page.waitForTimeout(3000);
	for (const name of ["time", "x"]) {
		const max = Number(columns.find((c) => c.column === name)?.max ?? 0);
		const [answers, pictures, scripts] = [[], [], []];
		const ticks = () => [
			used("/memlamp\0view", [process.pid]),
			used("--type=renderer", [process.pid]),
		];
		let before;

		if (!max) continue;
		for (let i = 0; i <= STEPS; i++) {
			const at = (share) => Math.floor((max * share) / 1000);
			const [answer, picture, script] = await brush(
				page,
				`${name} ${at(300 + 5 * i)}..${at(630 + 5 * i)}`,
			);

			if (i) {
				answers.push(answer);
				pictures.push(picture);
				scripts.push(script);
			} else before = ticks();
			await page.waitForTimeout(30);
		}
		const after = ticks();
		console.log(`a brush along ${name}, 20 axes of 100 bins`);
		say("to the counts", answers);
		say("to the picture", pictures);
		say("script of the pictures", scripts);
		["the server", "the page"].forEach((who, k) =>
			console.log(
				`  ${`${who}, for each brush`.padEnd(34)}      ${(((after[k] - before[k]) * 10) / STEPS).toFixed(1).padStart(7)} ms of the processor`,
			),
		);
	}
} finally {
	await browser.close();
	world.stop();
	rmSync(scratch, { recursive: true, force: true });
}
process.exit(0);
