// How long a frame of the rings takes in Chromium without a GPU.
//
//	node tests/web/bench_rings.mjs BUILD
//
// A hash table (bench/work/hash.c) fills caches of 20,480 and of 213,504 lines, each drawn
// as a glyph of its own. "paint" is the time of the view's own work on a moment that it has
// not shown before, "again" the same while nothing but what flies changes; "frame" is the
// time from one frame to the next while it plays, and "moments" how many moments of the
// trace a second were shown meanwhile. On a machine that does other things too, "best" says
// more than the median.
import { execFileSync } from "node:child_process";
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
const cases = [
	{
		machine: "L1 256K 8w 64B 4c | L2 1M 16w 14c | memory 200c",
		least: 20000,
		more: "",
	},
	{
		machine: "L1 32K 8w 64B 4c | L2 1M 16w 14c | L3 12M 12w 40c | memory 200c",
		least: 200000,
		more: "&o.rings.zoom=1.4:0:0", // else lines of L3 would be less than a pixel
	},
];

function row(what, times, more = "") {
	const t = [...times].sort((a, b) => a - b);
	const at = (q) => t[Math.min(t.length - 1, Math.floor(q * t.length))].toFixed(1);

	console.log(
		`${what.padEnd(40)} ${String(t.length).padStart(4)} frames   best ${at(0).padStart(5)}   median ${at(0.5).padStart(5)} ms   95 % ${at(0.95).padStart(5)} ms${more}`,
	);
}

/** Glyphs of the moment that is shown. */
function glyphs(page) {
	return page.evaluate(() => {
		const q = globalThis.memlamp.mounted.view.made?.picture;
		return q ? q.settled.count : 0;
	});
}

/** Goes to one moment after the other; what is asked of the server is not counted. */
function painted(page, from, again) {
	return page.evaluate(
		async ([first, same]) => {
			const { trace, mounted } = globalThis.memlamp;
			const v = mounted.view;
			const frame = () => new Promise((r) => requestAnimationFrame(r));
			const times = [];

			for (let i = 0; i < 40; i++) {
				if (!same) {
					const redraw = v.redraw;
					v.redraw = () => {};
					trace.setCursor(first + 997 * i);
					while (v.of?.cursor !== trace.cursor.value)
						await frame();
					v.redraw = redraw;
				}
				const start = performance.now();
				v.paint();
				v.canvas.getContext("2d").getImageData(0, 0, 1, 1);
				if (i >= 8) times.push(performance.now() - start);
				await frame();
			}
			return times;
		},
		[from, again],
	);
}

/** Plays for four seconds and takes the time from frame to frame. */
function played(page, from, speed) {
	return page.evaluate(
		async ([first, v]) => {
			const { trace, mounted } = globalThis.memlamp;
			const times = [];
			const seen = new Set();
			let begin = 0;

			trace.setCursor(first);
			trace.speed.value = v;
			trace.playing.value = true;
			await new Promise((done) => {
				begin = performance.now();
				let last = begin;
				requestAnimationFrame(function tick(now) {
					if (now - begin > 1000) {
						times.push(now - last);
						seen.add(mounted.view.of?.cursor);
					}
					last = now;
					if (now - begin < 5000)
						requestAnimationFrame(tick);
					else done();
				});
			});
			trace.playing.value = false;
			return { times, moments: seen.size / 4 };
		},
		[from, speed],
	);
}

try {
	const trace = join(scratch, "hash.mlt");
	const program = join(scratch, "hash");
	execFileSync("cc", ["-g", "-O1", join(root, "bench/work/hash.c"), "-o", program]);
	world.memlamp("record", "-o", trace, "--limit", "4M", "--", program, "2000000");

	for (const { machine, least, more } of cases) {
		const page = await world.page(await world.serve(trace, { machine }), {
			hash: `#view=rings&at=3000000${more}`,
		});

		await world.until(
			"the rings are drawn",
			async () => (await glyphs(page)) > least,
			20000,
		);
		console.log(
			`${(await glyphs(page)).toLocaleString("en")} glyphs in 1920 x 1080, no GPU: ${machine}`,
		);
		row(
			"  paint, another moment each time",
			await painted(page, 3000000, false),
		);
		row("  paint, again", await painted(page, 0, true));
		for (const speed of [10, 1000, 100000]) {
			const { times, moments } = await played(page, 3000000, speed);
			row(
				`  frame, playing ${speed} references a second`,
				times,
				`   ${moments.toFixed(0)} moments a second`,
			);
		}
		await page.close();
	}
} finally {
	await browser.close();
	world.stop();
	rmSync(scratch, { recursive: true, force: true });
}
