// Two simulations laid over each other: counts on the screen are compared with the states
// that the server tells of each alone, the strip with the outcomes of every reference, and
// movies are taken apart.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { rects, set, timelineSvg } from "./drawn.mjs";
import { PATIENCE, columns } from "./world.mjs";

const TINY = "tiny-4sets";
const FIFO = "tiny-4sets | L1 fifo";
const OTHER = "L1 128 2w 16B | L2 1K 4w 32B | L3 4K 8w 64B";
const A = "#0b5fb4";
const B = "#c8500a";
const matmul = (w) => w.example("matmul16.c");
/** Where matrices are multiplied naively: some 13,000 references. */
const naive = (w) => w.phase(matmul(w), "naive").from;

/** Naive and blocked matrix multiplication as traces of their own. */
function models(w) {
	for (const [key, text] of [
		["naive16", "matmul 16 4 register"],
		["blocked16", "matmul 16 4 block 4 register"],
	])
		if (!w.traces.has(key)) {
			w.memlamp("import", "-o", `${key}.mlt`, "--model", text);
			w.traces.set(key, `${w.scratch}/${key}.mlt`);
		}
	return [w.traces.get("naive16"), w.traces.get("blocked16")];
}

async function open(w, traces, machine, second, more = "") {
	const page = await w.page(await w.serve(traces, { machine }), {
		hash: `#view=ringsDiff&second=${encodeURIComponent(second)}${more}`,
	});

	await arrived(w, page);
	await w.quiet(page);
	return page;
}

/** Waits until the picture shows the cursor's moment and nothing moves. */
function arrived(w, page) {
	return w.until("the difference shows the cursor's moment", () =>
		page.evaluate(() => {
			const { store, trace, mounted } = globalThis.memlamp;
			return (
				store.view.value === "ringsDiff" &&
				mounted.view?.still?.()?.shown === trace.cursor.value
			);
		}),
	);
}

async function goTo(w, page, time) {
	await set(page, time);
	await arrived(w, page);
	await w.quiet(page);
}

const sims = (page) =>
	page.evaluate(() => {
		const { ready, compared } = globalThis.memlamp.trace;
		return [ready.value.sim, compared.value.sim];
	});

/** By 16 bytes of memory, the nearest level of a simulation that holds them. */
async function residence(page, sim, at, key) {
	const s = await columns(page, `sims/${sim}/state?at=${at}`);
	const out = new Map();

	s.header.levels.forEach((l, level) => {
		for (let i = l.first; i < l.first + l.instances * l.sets * l.ways; i++)
			if (s.line[i] < 2 ** 53)
				for (let b = 0; b < l.line; b += 16) {
					const k = key ? key(s, i, b) : s.line[i] + b;
					if (k !== null && (out.get(k) ?? 9) > level)
						out.set(k, level);
				}
	});
	return out;
}

/** 16 bytes each: in the same level, nearer in a, nearer in b. */
function counted(a, b) {
	const out = [0, 0, 0];

	for (const k of new Set([...a.keys(), ...b.keys()])) {
		const [x, y] = [a.get(k) ?? 9, b.get(k) ?? 9];
		out[x === y ? 0 : x < y ? 1 : 2]++;
	}
	return out;
}

/** Counts on the screen, as the legend writes them. */
async function legend(w, page) {
	const texts = [
		...(await w.svg(page)).matchAll(/<text [^>]*>([^<]*)<\/text>/g),
	].map((m) => m[1]);
	const after = (words) => {
		const i = texts.indexOf(words);
		assert.ok(i >= 0, `the picture says “${words}”`);
		return Number(texts[i + 1].replace(/\D/g, ""));
	};

	return {
		texts,
		totals: ["same level", "nearer in A", "nearer in B"].map(after),
	};
}

/** Serving levels of a stretch of references, memory as 9. */
async function served(page, sim, from, count) {
	const levels = await page.evaluate(
		(n) =>
			[
				globalThis.memlamp.trace.ready.value,
				globalThis.memlamp.trace.compared.value,
			].find((s) => s.sim === n).levels.length - 1,
		sim,
	);
	const out = [];

	for (let at = from; at < from + count; at += 65536) {
		const n = Math.min(65536, from + count - at);
		const r = await columns(page, `sims/${sim}/refs?from=${at}&count=${n}`, [
			"outcome",
		]);
		for (const o of r.outcome) out.push((o & 15) > levels ? 9 : o & 15);
	}
	return out;
}

function chunksOf(png) {
	const out = [];

	for (let at = 8; at < png.length; ) {
		const size = png.readUInt32BE(at);
		out.push({
			type: png.toString("latin1", at + 4, at + 8),
			data: png.subarray(at + 8, at + 8 + size),
		});
		at += 12 + size;
	}
	return out;
}

/** A sum of all pixels of the view's canvas. */
function pixels(page) {
	return page.evaluate(async () => {
		const c = globalThis.memlamp.mounted.view.canvas;
		const { data } = c.getContext("2d").getImageData(0, 0, c.width, c.height);
		const sum = await crypto.subtle.digest("SHA-256", data);
		return Array.from(new Uint8Array(sum)).join();
	});
}

/** Makes a movie with the dialog and returns its bytes. */
async function movie(page, { frames, seconds, format }) {
	await page.getByLabel("save", { exact: true }).selectOption("Movie…");
	if (format) await page.getByLabel("format").selectOption(format);
	await page.getByLabel("frames", { exact: true }).fill(String(frames));
	await page.getByLabel("seconds").fill(String(seconds));
	const [saved] = await Promise.all([
		page.waitForEvent("download", { timeout: 3 * PATIENCE }),
		page.getByRole("button", { name: "Make", exact: true }).click(),
	]);
	return readFileSync(await saved.path());
}

export const tests = {
	"counts of two machines are those of their states, forwards and backwards":
		async (w) => {
			const page = await open(w, matmul(w), TINY, FIFO);
			const end = await w.value(page, "length");
			const [a, b] = await sims(page);
			let differed = 0;

			for (const part of [0.05, 0.3, 0.62, 0.84, 0.3001, 0.05]) {
				const time = Math.floor(end * part);
				await goTo(w, page, time);
				const want = counted(
					await residence(page, a, time + 1),
					await residence(page, b, time + 1),
				);
				const { totals, texts } = await legend(w, page);
				assert.deepEqual(totals, want, `at ${time}`);
				assert.ok(texts.includes("lines of 16 B in caches"));
				differed += want[1] + want[2];
				// the last 64 references, one by one
				const [x, y] = [
					await served(page, a, time - 63, 64),
					await served(page, b, time - 63, 64),
				];
				const n = [0, 0, 0];
				x.forEach(
					(v, i) => n[v === y[i] ? 0 : v < y[i] ? 1 : 2]++,
				);
				assert.ok(texts.includes(`alike ${n[0]}, nearer in `));
				assert.ok(
					texts.includes(`A ${n[1]}`) &&
						texts.includes(`B ${n[2]}`),
				);
			}
			assert.ok(differed > 0);
		},

	"what differs is drawn where each has it, and a step back restores it": async (
		w,
	) => {
		const page = await open(w, matmul(w), TINY, FIFO);
		const places = () =>
			page.evaluate(() => {
				const q = globalThis.memlamp.mounted.view.made.picture;
				return q.differences
					.map((x) =>
						JSON.stringify([
							x.nearer,
							x.levels,
							x.region,
							x.offset,
							x.spots.map((s) =>
								s.at.map((v) =>
									v.toFixed(3),
								),
							),
						]),
					)
					.sort();
			});
		const [a, b] = await sims(page);
		// a moment at which each has something nearer than the other
		let time = naive(w);
		for (let want = [0, 0, 0]; !want[1] || !want[2]; ) {
			time += 100;
			want = counted(
				await residence(page, a, time + 1),
				await residence(page, b, time + 1),
			);
		}

		await goTo(w, page, time);
		const before = await places();
		const svg = await w.svg(page);
		const { totals } = await legend(w, page);
		// every line that differs is one place; those of both hues are on the picture
		assert.equal(before.length, totals[1] + totals[2]);
		for (const [i, hue] of [A, B].entries())
			assert.equal(svg.includes(hue), true, `hue ${i}`);
		await goTo(w, page, time + 1);
		await goTo(w, page, time + 2);
		await goTo(w, page, time + 1);
		await goTo(w, page, time);
		assert.deepEqual(await places(), before);
	},

	"machines of other shapes are compared by level, and the picture says so": async (
		w,
	) => {
		const page = await open(w, matmul(w), TINY, OTHER);
		const [a, b] = await sims(page);

		for (const time of [naive(w) + 2000, naive(w) - 2000]) {
			await goTo(w, page, time);
			const want = counted(
				await residence(page, a, time + 1),
				await residence(page, b, time + 1),
			);
			const { totals, texts } = await legend(w, page);
			assert.deepEqual(totals, want);
			assert.ok(
				texts.some((t) =>
					t.startsWith("The caches differ in shape"),
				),
			);
			assert.ok(texts.includes("L3"));
		}
	},

	"data of two traces are the same where region and place are": async (w) => {
		const page = await open(w, models(w), TINY, TINY, "&with=1");
		const [a, b] = await sims(page);
		const names = async (trace) =>
			page.evaluate(
				(t) =>
					fetch(`/api/traces/${t}/regions`, {
						headers: {
							"X-Memlamp-Token":
								sessionStorage.getItem(
									"memlamp.token",
								),
						},
					})
						.then((r) => r.json())
						.then((r) =>
							r.regions.map((x) => [
								x.region,
								x.name,
							]),
						),
				trace,
			);
		const key = (map) => (s, i, byte) =>
			`${map.get(s.region[i])}:${s.offset[i] + byte}`;
		const [here, there] = [new Map(await names(0)), new Map(await names(1))];

		assert.equal(
			await page.evaluate(
				() => globalThis.memlamp.trace.compared.value.trace,
			),
			1,
		);
		// 8,448 references of the one are 10,240 of the other
		for (const time of [4000, 8447, 1000]) {
			await goTo(w, page, time);
			const other = Math.floor(((time + 1) * 10240) / 8448);
			const want = counted(
				await residence(page, a, time + 1, key(here)),
				await residence(page, b, other, key(there)),
			);
			const { totals, texts } = await legend(w, page);
			assert.deepEqual(
				totals,
				want.map((n) => 16 * n),
			);
			assert.ok(texts.includes("bytes in caches"));
			assert.ok(
				texts.some((t) =>
					t.includes("the same share of the run"),
				),
				texts.join("|"),
			);
		}
	},

	"the other trace is chosen where the comparison is": async (w) => {
		const page = await open(w, models(w), TINY, FIFO);

		assert.equal(
			await page.evaluate(
				() => globalThis.memlamp.trace.compared.value.trace,
			),
			0,
		);
		await page.getByLabel("trace to compare with").selectOption("1");
		await w.until("the second trace is compared", () =>
			page.evaluate(
				() =>
					globalThis.memlamp.trace.compared.value?.trace ===
					1,
			),
		);
		await arrived(w, page);
		await w.until("the address has it", () => page.url().includes("with=1"));
		assert.ok(
			(await legend(w, page)).texts.some((t) =>
				t.startsWith("Two runs"),
			),
		);
	},

	"the strip shows the share of references served differently": async (w) => {
		const page = await open(w, matmul(w), TINY, FIFO);
		const end = await w.value(page, "length");
		const [a, b] = await sims(page);
		const [x, y] = [
			await served(page, a, 0, end),
			await served(page, b, 0, end),
		];
		let width = 1;
		while (end / width > 1024) width *= 2;
		const cells = Math.ceil(end / width);
		const share = [new Float64Array(cells), new Float64Array(cells)];
		for (let i = 0; i < end; i++) {
			const n = Math.min(end, (Math.floor(i / width) + 1) * width);
			const each = n - Math.floor(i / width) * width;
			if (x[i] < y[i]) share[0][Math.floor(i / width)] += 1 / each;
			if (x[i] > y[i]) share[1][Math.floor(i / width)] += 1 / each;
		}
		const most = Math.max(...share[0], ...share[1]);
		let bars = [];
		await w.until("the strip is drawn", async () => {
			bars = rects(await timelineSvg(page)).filter((r) =>
				[A, B].includes(r.fill),
			);
			return bars.length > 0;
		});
		const full = await page.evaluate(
			() => globalThis.memlamp.mounted.timeline.width,
		);
		const drawn = [A, B].map((hue) => bars.filter((r) => r.fill === hue));
		drawn.forEach((list, side) => {
			assert.equal(
				list.length,
				share[side].filter((v) => v > 0).length,
			);
			for (const r of list) {
				const i = Math.round((r.x / full) * end) / width;
				const v = share[side][Math.round(i)];
				const high = Math.max(1, (11 * v) / most);
				assert.ok(
					Math.abs(r.h - high) < 0.02,
					`cell ${i}: ${r.h}, not ${high}`,
				);
			}
		});
		assert.ok(drawn[0].length > 20 && drawn[1].length > 5);
	},

	"a click on the strip goes to what differs there": async (w) => {
		const page = await open(w, matmul(w), TINY, FIFO);
		const end = await w.value(page, "length");
		const [a, b] = await sims(page);
		const [x, y] = [
			await served(page, a, 0, end),
			await served(page, b, 0, end),
		];
		await w.until("the strip is there", () =>
			page.evaluate(
				() =>
					!!globalThis.memlamp.mounted.timeline.disagreements.answer(),
			),
		);
		const box = await page.locator(".timeline canvas").first().boundingBox();
		let width = 1;
		while (end / width > 1024) width *= 2;

		for (const share of [0.2, 0.47, 0.58, 0.75]) {
			const at = Math.floor(share * end);
			const px = box.x + Math.round((at / end) * box.width) + 0.5;
			await page.mouse.click(px, box.y + 25);
			const time = Math.floor(((px - box.x) / box.width) * end);
			const from = Math.floor(time / width) * width;
			let want = time;
			for (let i = from; i < Math.min(end, from + width); i++)
				if (x[i] !== y[i]) {
					want = i;
					break;
				}
			await w.until(
				`the cursor is at ${want}`,
				async () => (await w.value(page, "cursor")) === want,
			);
		}
	},

	"a key goes to the next and to the last difference": async (w) => {
		const page = await open(w, matmul(w), TINY, FIFO);
		const end = await w.value(page, "length");
		const [a, b] = await sims(page);
		const [x, y] = [
			await served(page, a, 0, end),
			await served(page, b, 0, end),
		];
		const times = x.flatMap((v, i) => (v === y[i] ? [] : [i]));

		await set(page, times[3]);
		for (const [key, at] of [
			["o", times[4]],
			["o", times[5]],
			["Shift+O", times[4]],
			["Shift+O", times[3]],
			["Shift+O", times[2]],
		]) {
			await page.keyboard.press(key);
			await w.until(
				`the cursor is at ${at}`,
				async () => (await w.value(page, "cursor")) === at,
			);
		}
	},

	"without a second simulation there is neither strip nor tab": async (w) => {
		const page = await open(w, matmul(w), TINY, FIFO);

		await page.getByTitle("stop comparing").click();
		await w.until(
			"the tab is gone",
			async () =>
				(await page
					.getByRole("tab", { name: "Diff", exact: true })
					.count()) === 0,
		);
		assert.equal(
			rects(await timelineSvg(page)).filter((r) =>
				[A, B].includes(r.fill),
			).length,
			0,
		);
	},

	"an animated PNG has a frame for each moment, the first as on the screen": async (
		w,
	) => {
		const page = await open(w, matmul(w), TINY, FIFO);

		const from = naive(w) + 1000;
		await set(page, from, { from, to: from + 40 });
		await arrived(w, page);
		await w.quiet(page);
		const first = await pixels(page);
		await goTo(w, page, from + 39);
		const last = await pixels(page);
		await goTo(w, page, from + 20);
		const png = await movie(page, { frames: 5, seconds: 2 });
		const chunks = chunksOf(png);
		const of = (type) =>
			chunks.filter((c) => c.type === type).map((c) => c.data);

		assert.equal(of("acTL")[0].readUInt32BE(0), 5);
		assert.equal(of("fcTL").length, 5);
		for (const c of of("fcTL"))
			assert.deepEqual(
				[c.readUInt16BE(20), c.readUInt16BE(22)],
				[400, 1000],
			);
		assert.equal(await w.value(page, "cursor"), from + 20);
		// and the browser, which did not write it, sees the same pictures
		const seen = await page.evaluate(async (text) => {
			const data = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
			const decoder = new ImageDecoder({ data, type: "image/png" });
			await decoder.tracks.ready;
			const out = [];
			for (
				let i = 0;
				i < decoder.tracks.selectedTrack.frameCount;
				i++
			) {
				const { image } = await decoder.decode({ frameIndex: i });
				const c = new OffscreenCanvas(
					image.displayWidth,
					image.displayHeight,
				);
				c.getContext("2d").drawImage(image, 0, 0);
				const got = c
					.getContext("2d")
					.getImageData(0, 0, c.width, c.height);
				const sum = await crypto.subtle.digest(
					"SHA-256",
					got.data,
				);
				out.push(Array.from(new Uint8Array(sum)).join());
			}
			return out;
		}, png.toString("base64"));
		assert.equal(seen.length, 5);
		assert.equal(seen[0], first);
		assert.equal(seen[4], last);
		assert.equal(new Set(seen).size, 5);
	},

	"the rings make movies too, also as WebM": async (w) => {
		const page = await w.page(await w.serve(matmul(w), { machine: TINY }), {
			hash: "#view=rings",
		});

		const from = naive(w);
		await set(page, from, { from, to: from + 16 });
		const png = chunksOf(await movie(page, { frames: 60, seconds: 3 }));
		// 16 references, the movement of each in three frames
		assert.equal(png.find((c) => c.type === "acTL").data.readUInt32BE(0), 48);
		if (
			!(await page.evaluate(() =>
				MediaRecorder.isTypeSupported("video/webm"),
			))
		)
			return;
		const webm = await movie(page, { frames: 3, seconds: 1, format: "webm" });
		assert.deepEqual([...webm.subarray(0, 4)], [0x1a, 0x45, 0xdf, 0xa3]);
		assert.ok(webm.includes(Buffer.from("webm")));
		assert.ok(webm.length > 2000);
	},
};
