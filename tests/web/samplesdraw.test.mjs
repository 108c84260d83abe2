// How parallel coordinates are drawn while a brush moves: what is kept, what is asked for,
// and that the pixels are those of the exported picture.
import assert from "node:assert/strict";
import { join } from "node:path";

const lulesh = (w) => join(w.root, "tests/samples/lulesh");

async function open(w, hash = "") {
	const page = await w.page(await w.serve(lulesh(w)), {
		wait: false,
		hash: `#view=parallel${hash}`,
	});

	await w.until("the axes are drawn", () =>
		page
			.evaluate(() => {
				const s = globalThis.memlamp?.samples;
				return (
					!!s?.counts.value &&
					!!s.base.value &&
					s.axes.value.every((a) => s.edgesOf(a)) &&
					!!globalThis.memlamp.mounted.view
				);
			})
			.catch(() => false),
	);
	return page;
}

/** Pre-selects, and waits until its counts are there; a few lines or all of them. */
async function point(w, page, text, all) {
	const asked = [];
	const note = (r) => {
		const m = r.url().match(/alone=1.*lines=(\d+)|lines=(\d+).*alone=1/);
		if (m) asked.push(Number(m[1] ?? m[2]));
	};

	page.on("request", note);
	await page.evaluate((t) => (globalThis.memlamp.samples.hover.value = t), text);
	await w.until("the pre-selection", async () => {
		const lines = await page.evaluate(() =>
			globalThis.memlamp.samples.counts.value.also?.links.reduce(
				(n, l) => n + l.count.length,
				0,
			),
		);
		return lines !== undefined && (!all || asked.includes(4000)) && lines;
	});
	if (all) await w.quiet(page);
	page.off("request", note);
	return asked;
}

/** Pixels of the canvas where the exported picture has the colour of no line. */
function compare(page) {
	return page.evaluate(async () => {
		const { view } = globalThis.memlamp.mounted;
		const canvas = document.querySelector(".stage .canvas canvas");
		view.paint();
		const image = new Image();
		image.src = `data:image/svg+xml,${encodeURIComponent(view.exportSvg())}`;
		await image.decode();
		const copy = document.createElement("canvas");
		[copy.width, copy.height] = [canvas.width, canvas.height];
		const c = copy.getContext("2d");
		c.drawImage(image, 0, 0);
		const data = (x) =>
			x.getImageData(0, 0, canvas.width, canvas.height).data;
		const [a, b] = [data(canvas.getContext("2d")), data(c)];
		const f = view.parallel.frame;
		let [far, n, sum, ink] = [0, 0, 0, 0];
		for (let y = Math.ceil(f.top); y < f.bottom; y++)
			for (let x = Math.ceil(f.left); x < f.right; x++) {
				const i = 4 * (y * canvas.width + x);
				const d = Math.max(
					...[0, 1, 2].map((k) =>
						Math.abs(a[i + k] - b[i + k]),
					),
				);
				n++;
				sum += d;
				if (d > 64) far++;
				if (a[i] < 230) ink++;
			}
		return { mean: sum / n, far: far / n, ink: ink / n };
	});
}

export const tests = {
	"the lines on the screen are those of the exported picture": async (w) => {
		const page = await open(w);

		for (const lines of ["all", "left", "right"]) {
			await page.evaluate(
				(l) => globalThis.memlamp.samples.choose({ lines: l }),
				lines,
			);
			const { mean, far, ink } = await compare(page);
			assert.ok(ink > 0.05, `${lines}: a picture with lines (${ink})`);
			assert.ok(mean < 6 && far < 0.02, `${lines}: ${mean}, ${far}`);
		}
		await point(w, page, "cpu < 8", true);
		const { mean, far } = await compare(page);
		assert.ok(mean < 6 && far < 0.02, `a pre-selection: ${mean}, ${far}`);
	},

	"a pre-selection asks for fewer lines while it moves than when it rests": async (
		w,
	) => {
		const page = await open(w);
		const asked = await point(w, page, "cpu < 8", true);

		assert.deepEqual(asked, [1500, 4000]);
		// the counts are the same, whatever is drawn
		const { samples, bars } = await page.evaluate(() => {
			const { also } = globalThis.memlamp.samples.counts.value;
			return {
				samples: also.samples,
				bars: also.histograms.map((h) =>
					h.reduce((n, x) => n + x, 0),
				),
			};
		});
		assert.ok(samples > 0);
		for (const n of bars) assert.equal(n, samples);
	},

	"what does not follow the pointer is drawn once": async (w) => {
		const page = await open(w);
		await point(w, page, "cpu < 8", true);
		const drawn = await page.evaluate(() => {
			const { view } = globalThis.memlamp.mounted;
			const part = view.parallel;
			const calls = { pairs: 0, names: 0, bars: 0 };
			view.paint();
			const count = (name, key) => {
				const f = part[name];
				part[name] = (...a) => (calls[key]++, f.apply(part, a));
			};

			count("drawPair", "pairs");
			count("drawNames", "names");
			count("drawAxis", "bars");
			view.paint();
			const again = { ...calls };
			// no pre-selection: the same lines, no longer dimmed
			globalThis.memlamp.samples.hover.value = "";
			view.paint();
			const bare = { ...calls };
			globalThis.memlamp.samples.choose({ lines: "left" });
			view.paint();
			return { again, bare, other: { ...calls } };
		});

		assert.deepEqual(drawn.again, { pairs: 0, names: 0, bars: 0 });
		assert.deepEqual(drawn.bare, { pairs: 0, names: 0, bars: 0 });
		// another strength is another picture of lines, with the same bars
		assert.ok(drawn.other.pairs > 0);
		assert.equal(drawn.other.bars, 0);
	},

	"pointing at a resource asks for its loads alone, and says how many samples":
		async (w) => {
			const page = await w.page(await w.serve(lulesh(w)), {
				wait: false,
				hash: "#view=topology",
			});
			const value = (name) =>
				page
					.evaluate(
						(n) =>
							globalThis.memlamp?.samples?.[n]
								.value,
						name,
					)
					.catch(() => null);
			const asked = [];

			await w.until("the loads", () => value("loads"));
			page.on("request", (r) => {
				const m = r.url().match(/\/(loads|offenders)\?(.*)/);
				if (m) asked.push([m[1], /alone=1/.test(m[2])]);
			});
			const text = 'resource = "L3 #0" and latency > 20';
			await page.evaluate(
				(t) => (globalThis.memlamp.samples.hover.value = t),
				text,
			);
			const { selected } = JSON.parse(
				w.memlamp(
					"query",
					lulesh(w),
					`/api/samples/0/select?select=${encodeURIComponent(text)}`,
				),
			);
			await w.until(
				"the samples under the pointer",
				async () => (await value("hovered")) === selected,
			);
			assert.ok(selected > 0);
			assert.deepEqual(asked, [["loads", true]]);
			const loads = await value("loads");
			assert.ok(loads.also.samples[0] === selected);
			assert.ok(loads.samples[0] > selected);
		},

	"an axis that is dragged takes its lines along": async (w) => {
		const page = await open(w);
		const drawn = await page.evaluate(() => {
			const { view } = globalThis.memlamp.mounted;
			const part = view.parallel;
			const calls = [];
			const f = part.drawPair;

			part.drawPair = (...a) => (calls.push(a[5]), f.apply(part, a));
			part.grip = {
				what: "axis",
				from: 1,
				dx: part.axisAt(1) + 5,
				at: 1,
				start: 0,
			};
			view.paint();
			const first = calls.splice(0);
			part.grip.dx += 5;
			view.paint();
			const second = calls.splice(0);
			part.grip = null;
			return { first, second };
		});

		// all pairs once, then only the two beside the axis
		assert.deepEqual(drawn.second, [0, 1]);
		assert.ok(drawn.first.length > 2);
	},
};
