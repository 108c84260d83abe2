// Data in motion: what stands where on the rings is compared with what the server says the
// caches hold, forwards and backwards, and read off the pixels.
import assert from "node:assert/strict";

const TWO_LINES = "L1 128 full 64B 4c | memory 100c";
const TWO_CORES = "L1 128 full 64B 4c | L2 1K 4w 10c | memory 100c | cores 2";
const TINY = "tiny-4sets";
const stride = (w) => w.example("stride.c");

async function open(w, trace, machine) {
	const page = await w.page(await w.serve(trace, { machine }));

	await page.evaluate(() => {
		globalThis.memlamp.store.view.value = "rings";
	});
	await arrived(w, page);
	return page;
}

/** Waits until the picture shows the cursor's moment and nothing flies. */
async function arrived(w, page) {
	await w.until("the rings show the cursor's moment", () =>
		page.evaluate(() => {
			const { store, mounted } = globalThis.memlamp;
			const v = mounted.view;
			return (
				v?.made?.of.cursor === store.cursor.value &&
				v.canvas.dataset.shown === String(store.cursor.value) &&
				!v.flying() &&
				!v.then
			);
		}),
	);
	await frames(page);
}

function frames(page) {
	return page.evaluate(
		() =>
			new Promise((r) =>
				requestAnimationFrame(() => requestAnimationFrame(r)),
			),
	);
}

async function goTo(w, page, time) {
	await page.evaluate((t) => globalThis.memlamp.store.setCursor(t), time);
	await arrived(w, page);
}

/** What the server says the caches hold when reference `time` has happened. */
function told(page, time) {
	return page.evaluate(async (at) => {
		const sim = globalThis.memlamp.store.ready.value.sim;
		const a = await fetch(`/api/sims/${sim}/state?at=${at}`, {
			headers: {
				"X-Memlamp-Token":
					sessionStorage.getItem("memlamp.token"),
			},
		});
		const bytes = await a.arrayBuffer();
		const long = new DataView(bytes).getUint32(4, true);
		const header = JSON.parse(
			new TextDecoder().decode(new Uint8Array(bytes, 8, long)),
		);
		const sizes = { u64: 8, u32: 4, u8: 1, f32: 4 };
		const column = {};
		let from = Math.ceil((8 + long) / 8) * 8;
		for (const { name, type, count } of header.columns) {
			column[name] = bytes.slice(from, from + count * sizes[type]);
			from = Math.ceil((from + count * sizes[type]) / 8) * 8;
		}
		const line = new BigUint64Array(column.line);
		const rank = new Uint32Array(column.rank);
		const out = [];
		header.levels.forEach((l, level) => {
			for (let i = 0; i < l.instances * l.sets * l.ways; i++)
				if (line[l.first + i] !== 2n ** 64n - 1n)
					out.push(
						`${level}:${Math.floor(i / l.ways)}:${rank[l.first + i]}:${line[l.first + i]}`,
					);
		});
		return out.sort();
	}, time + 1);
}

/** Lines on the screen: level, arm, rank and address of each, where they stand. */
function drawn(page) {
	return page.evaluate(() => {
		const q = globalThis.memlamp.mounted.view.made.picture;
		return q.glyphs
			.filter((g) => g.motion !== "leave")
			.map((g) => ({
				key: `${g.level}:${g.arm}:${g.rank}:${g.line}`,
				x: q.x + g.to[0],
				y: q.y + g.to[1],
				level: g.level,
				region: globalThis.memlamp.store.regionOf(g.region)?.name,
				rank: g.rank,
				arm: g.arm,
				size: q.place.rings.rings[g.level].size,
				far: Math.hypot(...g.to),
				ring: [
					q.place.rings.rings[g.level].r0,
					q.place.rings.rings[g.level].r1,
				],
			}));
	});
}

const keys = (list) => [...new Set(list.map((g) => g.key))].sort();

/** The colour of a pixel of the canvas. */
function pixel(page, x, y) {
	return page.evaluate(
		([px, py]) => {
			const c = globalThis.memlamp.mounted.view.canvas.getContext("2d");
			const k = devicePixelRatio;
			return [
				...c.getImageData(
					Math.round(px * k),
					Math.round(py * k),
					1,
					1,
				).data,
			].slice(0, 3);
		},
		[x, y],
	);
}

/** A time within the sweep down the columns of A. */
function sweep(page) {
	return page.evaluate(
		() =>
			globalThis.memlamp.store.trace.value.phases.find(
				(p) => p.name === "bad stride",
			).from + 120,
	);
}

export const tests = {
	"every line stands on the rings where the simulator has it": async (w) => {
		const page = await open(w, stride(w), TINY);
		const end = await w.value(page, "length");

		for (const part of [0.001, 0.3, 0.93, 0.5]) {
			const time = Math.floor(end * part);
			await goTo(w, page, time);
			const shown = await drawn(page);
			assert.deepEqual(keys(shown), await told(page, time));
			for (const g of shown)
				assert.ok(g.far > g.ring[0] && g.far < g.ring[1]);
		}
	},

	"along an arm the next victim is the farthest from the core": async (w) => {
		const page = await open(w, stride(w), TINY);

		await goTo(w, page, await sweep(page));
		const shown = await drawn(page);
		for (const g of shown)
			for (const o of shown)
				if (
					g.level === o.level &&
					g.arm === o.arm &&
					g.rank < o.rank
				)
					assert.ok(g.far < o.far);
	},

	"data are drawn where they stand": async (w) => {
		const page = await open(w, stride(w), TINY);

		const time = await sweep(page);

		await goTo(w, page, time);
		const ground = await pixel(page, 3, 300);
		const list = await drawn(page);
		for (const g of list.filter((_, i) => i % 7 === 0)) {
			// beside the hole that data have which must be written back
			const c = await pixel(page, g.x + 0.35 * g.size, g.y);
			const differs = c.some((v, i) => Math.abs(v - ground[i]) > 20);
			assert.ok(differs, `${g.key} at ${g.x},${g.y} is ${c}`);
		}
	},

	"stepping back gives the picture that was there": async (w) => {
		const page = await open(w, stride(w), TINY);
		const from = await sweep(page);
		const seen = [];

		await goTo(w, page, from);
		for (let i = 0; i < 3; i++) {
			seen.push(await w.svg(page));
			await page.keyboard.press("ArrowRight");
			await w.until(
				"the step",
				async () =>
					(await w.value(page, "cursor")) === from + 1 + i,
			);
			await arrived(w, page);
			assert.deepEqual(
				keys(await drawn(page)),
				await told(page, from + 1 + i),
			);
		}
		for (let i = 2; i >= 0; i--) {
			await page.keyboard.press("ArrowLeft");
			await w.until(
				"the step back",
				async () => (await w.value(page, "cursor")) === from + i,
			);
			await arrived(w, page);
			await w.until(
				"the picture that was there",
				async () => (await w.svg(page)) === seen[i],
			);
		}
	},

	"a step flies what comes, what moves along its arm and what leaves": async (
		w,
	) => {
		const page = await open(
			w,
			w.text("rings", "r0 r64 r128 r0\n"),
			TWO_LINES,
		);

		await goTo(w, page, 0);
		await page.keyboard.press("ArrowRight");
		await w.until("something flies", () =>
			page.evaluate(() => {
				const v = globalThis.memlamp.mounted.view;
				return v.flying() && v.made?.of.cursor === 1;
			}),
		);
		const moving = await page.evaluate(() =>
			globalThis.memlamp.mounted.view.made.picture.glyphs
				.filter((g) => g.motion !== "rest")
				.map((g) => `${g.motion} ${g.line}`),
		);
		assert.deepEqual(moving.sort(), ["enter 64", "shift 0"]);
		await arrived(w, page);
		await page.keyboard.press("ArrowRight");
		await w.until("the next flies", () =>
			page.evaluate(
				() =>
					globalThis.memlamp.mounted.view.made?.of
						.cursor === 2,
			),
		);
		const next = await page.evaluate(() =>
			globalThis.memlamp.mounted.view.made.picture.glyphs
				.filter((g) => g.motion !== "rest")
				.map((g) => `${g.motion} ${g.line}`),
		);
		assert.deepEqual(next.sort(), ["enter 128", "leave 0", "shift 64"]);
	},

	"a large level is told by its sets, and its total is exact": async (w) => {
		const page = await open(w, stride(w), "i7");

		await goTo(w, page, 30000);
		const all = await told(page, 30000);
		const held = [0, 1, 2].map(
			(n) => all.filter((k) => k.startsWith(`${n}:`)).length,
		);
		const svg = await w.svg(page);
		const words = (n, of) =>
			n === of
				? `all ${of.toLocaleString("en")} lines`
				: `${n.toLocaleString("en")} of ${of.toLocaleString("en")} lines`;
		assert.ok(svg.includes(words(held[0], 512)), words(held[0], 512));
		assert.ok(svg.includes(words(held[1], 4096)), words(held[1], 4096));
		assert.ok(svg.includes(words(held[2], 131072)), words(held[2], 131072));
		assert.ok(svg.includes("a wedge: 16 sets"));
	},

	"the tail is as long as one chooses, and the caption says what happened": async (
		w,
	) => {
		const page = await open(w, stride(w), TINY);
		const ages = () =>
			page.evaluate(() =>
				Math.max(
					...globalThis.memlamp.mounted.view.made.picture.paths.map(
						(x) => x.age,
					),
				),
			);

		const time = await sweep(page);

		await goTo(w, page, time);
		assert.ok((await ages()) < 64);
		await page.evaluate(() =>
			globalThis.memlamp.store.setOption("rings.tail", "256"),
		);
		await w.until("the longer tail", async () => (await ages()) > 200);
		await w.until("the caption", async () =>
			/<text[^>]*>read A\[\d+\]\[\d+\] at stride\.c:/.test(
				await w.svg(page),
			),
		);
	},

	"a click on a datum selects it, and what is selected stands out": async (w) => {
		const page = await open(w, stride(w), TINY);

		const time = await sweep(page);

		await goTo(w, page, time);
		const g = (await drawn(page)).find(
			(x) => x.region === "A" && x.level === 1,
		);
		const box = await page.evaluate(() => {
			const b =
				globalThis.memlamp.mounted.view.canvas.getBoundingClientRect();
			return [b.left, b.top];
		});
		const before = await w.svg(page);
		await page.mouse.click(box[0] + g.x, box[1] + g.y);
		const chosen = await w.value(page, "selection");
		assert.equal(chosen.offset[1] - chosen.offset[0], 4);
		assert.equal(await w.value(page, "cursor"), time);
		await page.mouse.move(5, 5);
		await frames(page);
		assert.notEqual(await w.svg(page), before);
	},

	"each core has its sector, and a line flies to the core that takes it": async (
		w,
	) => {
		// both write into one line, by turns
		const turns = "thread 1\nw0\nthread 2\nw8\n".repeat(8);
		const trace = w.text("rings-turns", turns);
		const page = await open(w, trace, TWO_CORES);

		await goTo(w, page, 4);
		await page.keyboard.press("ArrowRight");
		await w.until("the step", () =>
			page.evaluate(
				() =>
					globalThis.memlamp.mounted.view.made?.of
						.cursor === 5,
			),
		);
		const moved = await page.evaluate(() =>
			globalThis.memlamp.mounted.view.made.picture.glyphs
				.filter((g) => g.level === 0 && g.motion !== "rest")
				.map((g) => ({ ...g })),
		);
		await arrived(w, page);
		const [enter] = moved.filter((g) => g.motion === "enter");
		const [leave] = moved.filter((g) => g.motion === "leave");
		assert.notEqual(enter.arm, leave.arm);
		assert.deepEqual(leave.to, enter.to);
		assert.deepEqual(enter.from, leave.from);
		assert.deepEqual(keys(await drawn(page)), await told(page, 5));
	},

	"zooming in shows elements of lines, and a double click the whole again": async (
		w,
	) => {
		const page = await open(w, stride(w), "i7");
		const grain = () =>
			page.evaluate(
				() =>
					globalThis.memlamp.mounted.view.made.picture.place
						.rings.rings[0].grain,
			);
		const centre = await page.evaluate(() => {
			const v = globalThis.memlamp.mounted.view;
			const b = v.canvas.getBoundingClientRect();
			return [b.left + v.made.picture.x, b.top + v.made.picture.y];
		});

		await goTo(w, page, await sweep(page));
		assert.equal(await grain(), "line");
		await page.mouse.move(...centre);
		for (let i = 0; i < 16; i++) await page.mouse.wheel(0, -100);
		await w.until("elements", async () => (await grain()) === "element");
		await w.until("the address has it", () => /rings\.zoom/.test(page.url()));
		await page.mouse.dblclick(...centre);
		await w.until("the whole", async () => (await grain()) === "line");
	},
};
