// How fast the views of a flow are: opening, unfolding and zooming a large program, and what
// the local view takes to react at 100,000 accesses. Best of several, wall clock.
//
//	node tests/web/bench_flow.mjs BUILD [PROGRAM]
//
// PROGRAM is a large .c or .sdfg file; without it, a program of 2,000 computations.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { World, launch } from "./world.mjs";

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const build = resolve(process.argv[2] ?? join(root, "build"));
const scratch = mkdtempSync(join(tmpdir(), "memlamp-bench-"));
const large = process.argv[3] ? resolve(process.argv[3]) : join(scratch, "large.c");
const product = join(scratch, "mm.c");

const nest = (k) =>
	`for (int i = 0; i < n; i++) { a[i] = b[i] * ${k}; b[i] = a[i] + c[i];\n` +
	`for (int j = 0; j < i; j++) { c[j] = a[j]; d[i] += c[j]; } }\n`;
if (!process.argv[3])
	writeFileSync(
		large,
		`void large(int n, double *a, double *b, double *c, double *d) {\n${Array.from({ length: 500 }, (_, k) => nest(k)).join("")}}\n`,
	);
writeFileSync(
	product,
	"void mm(int n, float A[n][n], float B[n][n], float C[n][n])\n{\n" +
		"for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) for (int k = 0; k < n; k++)\n" +
		"C[i][j] += A[i][k] * B[k][j];\n}\n",
);

const browser = await launch(root);
const world = new World({
	browser,
	viewport: { width: 1280, height: 800 },
	build,
	root,
	scratch,
});
const best = (list) => Math.round(10 * Math.min(...list)) / 10;

async function opened(address, hash) {
	const start = performance.now();
	const page = await world.page(address, { wait: false, hash });
	await world.until("the picture", () =>
		page
			.evaluate((local) => {
				const f = globalThis.memlamp?.flow;
				return local
					? !!f?.local.elements.value &&
							!!f.local.step.value
					: !!f?.scales.value;
			}, hash.includes("local"))
			.catch(() => false),
	);
	return { page, ms: performance.now() - start };
}

/** Milliseconds until all of `wait` have new answers and the picture is drawn. */
function reaction(page, act, wait) {
	return page.evaluate(
		async ([code, names]) => {
			const f = globalThis.memlamp.flow;
			const signals = names.map((n) => f.local[n]);
			const old = signals.map((s) => s.value);
			const tick = () =>
				new Promise((r) => {
					const c = new MessageChannel();
					c.port1.onmessage = r;
					c.port2.postMessage(0);
				});
			const start = performance.now();
			const [what, ...args] = code;
			if (what === "choose") f.choose(args[0]);
			else f.local[what](...args);
			while (signals.some((s, i) => s.value === old[i])) await tick();
			globalThis.memlamp.mounted.view.paint();
			return performance.now() - start;
		},
		[act, wait],
	);
}

try {
	const address = await world.serve(large);
	const times = [];
	let page;
	for (let i = 0; i < 3; i++) {
		const o = await opened(address, "");
		times.push(o.ms);
		if (i < 2) await o.page.close();
		page = o.page;
	}
	console.log(`open                 ${best(times)} ms`);
	const unfolded = await page.evaluate(() => {
		const f = globalThis.memlamp.flow;
		const start = performance.now();
		f.foldAll(64);
		let n = 0;
		const go = (x) =>
			x.items.forEach((i) => {
				n++;
				if (i.inner) go(i.inner);
			});
		go(f.frame.value);
		void f.scales.value;
		return { n, ms: performance.now() - start };
	});
	console.log(
		`unfold               ${unfolded.ms.toFixed(0)} ms for ${unfolded.n} things`,
	);
	await page.waitForTimeout(300);
	const frames = await page.evaluate(async () => {
		const v = globalThis.memlamp.mounted.view;
		const out = [];
		for (let i = 0; i < 40; i++) {
			v.zoomTo(i / 39);
			const start = performance.now();
			v.paint();
			out.push(performance.now() - start);
		}
		return out.sort((a, b) => a - b);
	});
	console.log(
		`a frame              ${frames[20].toFixed(1)} ms (median), ${frames[39].toFixed(1)} ms (worst) of a zoom from all to a computation`,
	);

	// 4 n^3 accesses
	const o = await opened(
		await world.serve(product),
		"#view=local&o.flow.local=n=29",
	);
	const simulated = ["local", "elements", "moves", "step"];
	const runs = {
		line: (i) => [["choose", { line: String(16 << i % 5) }], simulated],
		capacity: (i) => [
			["choose", { threshold: String(20 + i) }],
			["local", "elements", "moves"],
		],
		size: (i) => [["setLocalSize", "n", 30 - (i % 2)], simulated],
		layout: (i) => [
			["choose", { layout: i % 2 ? null : "B=order:1,0" }],
			["local", "elements", "moves"],
		],
		step: (i) => [["seek", 1000 + i], ["step"]],
		"chosen element": (i) => [
			["chooseElement", { container: 0, place: i }, false],
			["related", "distances"],
		],
	};
	console.log("reaction at 100,000 accesses:");
	for (const [name, make] of Object.entries(runs)) {
		const list = [];
		for (let i = 0; i < 8; i++) {
			list.push(await reaction(o.page, ...make(i)));
			await o.page.waitForTimeout(120);
		}
		console.log(`  ${name.padEnd(18)} ${best(list)} ms`);
	}
} finally {
	await browser.close();
	world.stop();
	rmSync(scratch, { recursive: true, force: true });
}
process.exit(0);
