// How long a frame of the regions view takes in Chromium without a GPU.
//
//	node tests/web/bench_frames.mjs BUILD
//
// The matrix of examples/interchange.c stands in about 20,000 cells; every frame shows
// another moment. "draw" is the time of the view's own work, "frame" the time from one
// frame to the next while it plays.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { World, launch } from "./world.mjs";

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const build = resolve(process.argv[2] ?? join(root, "build"));
const scratch = mkdtempSync(join(tmpdir(), "memlamp-bench-"));
const browser = await launch(root);
const world = new World({
	browser,
	viewport: { width: 1920, height: 1080 },
	build,
	root,
	scratch,
});

function row(what, times) {
	const t = [...times].sort((a, b) => a - b);
	const at = (q) => t[Math.min(t.length - 1, Math.floor(q * t.length))].toFixed(1);

	console.log(
		`${what.padEnd(44)} ${String(t.length).padStart(5)} frames   median ${at(0.5).padStart(5)} ms   95 % ${at(0.95).padStart(5)} ms`,
	);
}

/** Draws moments one after the other as fast as it can; the references are there already. */
async function drawn(page, trail) {
	return page.evaluate(async (length) => {
		const { store, trace, mounted } = globalThis.memlamp;
		const frame = () => new Promise((r) => requestAnimationFrame(r));
		const times = [];

		store.options.value = {
			...store.options.value,
			"regions.trail": String(length),
		};
		for (let i = 0; i < 150; i++) {
			trace.setCursor(600000 + 37 * i);
			await frame();
			const start = performance.now();
			mounted.view.paint();
			if (i >= 30) times.push(performance.now() - start);
		}
		return times;
	}, trail);
}

/** Plays for three seconds and takes the time from frame to frame. */
async function played(page, speed) {
	return page.evaluate(async (v) => {
		const { trace } = globalThis.memlamp;
		const times = [];

		trace.setCursor(560000);
		trace.speed.value = v;
		trace.playing.value = true;
		await new Promise((done) => {
			const begin = performance.now();
			let last = begin;
			requestAnimationFrame(function tick(now) {
				if (now - begin > 500) times.push(now - last);
				last = now;
				if (now - begin < 3500) requestAnimationFrame(tick);
				else done();
			});
		});
		trace.playing.value = false;
		return times;
	}, speed);
}

try {
	const trace = world.example("interchange.c");
	const page = await world.page(await world.serve(trace, { machine: "skylake" }), {
		hash: "#view=regions&at=600000",
	});

	await world.until("regions are drawn", () =>
		page.evaluate(() => !!globalThis.memlamp.mounted.view?.light?.lit),
	);
	const cells = await page.evaluate(() =>
		globalThis.memlamp.mounted.view.frames.value
			.flatMap((f) => [f.strip, f.matrix])
			.reduce((n, p) => n + (p ? p.nx * p.ny : 0), 0),
	);
	console.log(`${cells} cells visible in 1920 x 1080, no GPU`);
	for (const trail of [256, 4096, 32768])
		row(`draw, trail of ${trail} references`, await drawn(page, trail));
	for (const speed of [1000, 50000, 1e6])
		row(
			`frame, playing ${speed} references a second`,
			await played(page, speed),
		);
} finally {
	await browser.close();
	world.stop();
	rmSync(scratch, { recursive: true, force: true });
}
