// Data in motion: what stands where on the rings is compared with what the server says the
// caches hold, forwards and backwards, and read off the pixels.
import assert from "node:assert/strict";
import { columns } from "./world.mjs";

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
			const { trace, mounted } = globalThis.memlamp;
			const v = mounted.view;
			return (
				v?.made?.of.cursor === trace.cursor.value &&
				v.canvas.dataset.shown === String(trace.cursor.value) &&
				v.canvas.dataset.results === String(trace.cursor.value) &&
				v.canvas.dataset.told === String(trace.cursor.value) &&
				!v.flying() &&
				!v.then
			);
		}),
	);
	await w.quiet(page);
}

async function goTo(w, page, time) {
	await page.evaluate((t) => globalThis.memlamp.trace.setCursor(t), time);
	await arrived(w, page);
}

/** What the server says the caches hold when reference `time` has happened. */
async function told(page, time) {
	const { line, rank } = await asked(page, `state?at=${time + 1}`, [
		"line",
		"rank",
	]);
	const levels = await page.evaluate(() =>
		globalThis.memlamp.trace.ready.value.levels.filter(
			(l) => l.kind === "cache",
		),
	);
	const out = [];
	let slot = 0;

	levels.forEach((l, level) => {
		for (let i = 0; i < l.instances * l.sets * l.ways; i++, slot++)
			if (line[slot] < 2 ** 63)
				out.push(
					`${level}:${Math.floor(i / l.ways)}:${rank[slot]}:${line[slot]}`,
				);
	});
	return out.sort();
}

/** Lines on the screen: level, arm, rank and address of each, where they stand. */
function drawn(page) {
	return page.evaluate(() => {
		const q = globalThis.memlamp.mounted.view.made.picture;
		const c = q.settled;
		return Array.from({ length: c.count }, (_, i) => {
			const level = c.first.findLastIndex((f) => f <= i);
			const ring = q.place.rings.rings[level];
			const slot = c.slot[i];
			const arm = Math.floor((slot - ring.info.first) / ring.info.ways);
			const rank = q.held.rank[slot];
			return {
				key: `${level}:${arm}:${rank}:${c.lines.address[slot]}`,
				x: q.x + c.x[i],
				y: q.y + c.y[i],
				level,
				region: globalThis.memlamp.trace.regionOf(
					q.held.region[slot],
				)?.name,
				rank,
				arm,
				size: ring.size,
				far: Math.hypot(c.x[i], c.y[i]),
				ring: [ring.r0, ring.r1],
			};
		});
	});
}

/** Glyphs that move to what is shown. */
function moving(page) {
	return page.evaluate(() =>
		globalThis.memlamp.mounted.view.made.picture.flight.moving.map((g) => ({
			...g,
		})),
	);
}

/** Columns that the server answers of the simulation that is shown. */
async function asked(page, route, only) {
	const sim = await page.evaluate(() => globalThis.memlamp.trace.ready.value.sim);

	return columns(page, `sims/${sim}/${route}`, only);
}

/** Where the picture begins on the page. */
function corner(page) {
	return page.evaluate(() => {
		const b = globalThis.memlamp.mounted.view.canvas.getBoundingClientRect();
		return [b.left, b.top];
	});
}

/** Chooses an option of the page. */
function choose(page, key, value) {
	return page.evaluate(
		([k, v]) => globalThis.memlamp.store.setOption(k, v),
		[key, value],
	);
}

const tooltip = (page) => page.locator(".stage .tooltip").innerText();

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
			globalThis.memlamp.trace.trace.value.phases.find(
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

		await w.holdTime(page);
		await goTo(w, page, 0);
		await page.keyboard.press("ArrowRight");
		await w.until("something flies", () =>
			page.evaluate(() => {
				const v = globalThis.memlamp.mounted.view;
				return v.flying() && v.made?.of.cursor === 1;
			}),
		);
		const words = async () =>
			(await moving(page)).map((g) => `${g.motion} ${g.line}`).sort();
		assert.deepEqual(await words(), ["enter 64", "shift 0"]);
		await arrived(w, page);
		await page.keyboard.press("ArrowRight");
		await w.until("the next flies", () =>
			page.evaluate(() => {
				const v = globalThis.memlamp.mounted.view;
				return v.flying() && v.made?.of.cursor === 2;
			}),
		);
		assert.deepEqual(await words(), ["enter 128", "leave 0", "shift 64"]);
	},

	"a large level is told by its sets, and its total is exact": async (w) => {
		const page = await open(w, stride(w), "i7");

		const time = Math.floor((await w.value(page, "length")) * 0.7);
		await goTo(w, page, time);
		const all = await told(page, time);
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
		const box = await corner(page);
		const before = await w.svg(page);
		await page.mouse.click(box[0] + g.x, box[1] + g.y);
		const chosen = await w.value(page, "selection");
		assert.equal(chosen.offset[1] - chosen.offset[0], 4);
		assert.equal(await w.value(page, "cursor"), time);
		await page.mouse.move(5, 5);
		await w.quiet(page);
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
		const moved = (await moving(page)).filter((g) => g.level === 0);
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

	"a fill has the colour of the level that it comes from, red from memory": async (
		w,
	) => {
		// 0 and 128 share a set of one line; 64 and 0 stay in L2
		const page = await open(
			w,
			w.text("rings-from", "r0 r64 r128 r0 r4096\n"),
			"L1 64 1w 64B 4c | L2 4K 4w 64B 10c | memory 100c",
		);
		const fly = async (time) => {
			await goTo(w, page, time - 1);
			await page.keyboard.press("ArrowRight");
			await w.until("it flies", () =>
				page.evaluate((t) => {
					const v = globalThis.memlamp.mounted.view;
					return v.flying() && v.made?.of.cursor === t;
				}, time),
			);
			const [enter] = (await moving(page)).filter(
				(g) => g.motion === "enter" && g.level === 0,
			);
			const svg = await w.svg(page);
			await arrived(w, page);
			// lines of 2 pixels are those of what comes
			return {
				source: enter.source,
				red: /<path d="M[^"]*L[^"]*" fill="none" stroke="#b2182b" stroke-width="2"/.test(
					svg,
				),
				lilac: /<path d="M[^"]*L[^"]*" fill="none" stroke="#a98cc0" stroke-width="2"/.test(
					svg,
				),
			};
		};

		await choose(page, "rings.tail", "1");
		await w.holdTime(page);
		assert.deepEqual(await fly(3), { source: 1, red: true, lilac: true });
		const memory = await fly(4);
		assert.equal(memory.source, 2);
	},

	"the outer band shows the last result of each element in the whole run": async (
		w,
	) => {
		const page = await open(w, stride(w), TINY);
		const end = await w.value(page, "length");
		const { region, offset, what, outcome } = await asked(
			page,
			`refs?from=0&count=${end}`,
		);

		// the array is written once early, so far more than a few thousand references ago
		for (const time of [end - 1, Math.floor(end * 0.95), 500, end - 2]) {
			await goTo(w, page, time);
			await w.until(
				"the results of the moment",
				async () =>
					(await page.evaluate(
						() =>
							globalThis.memlamp.mounted.view
								.canvas.dataset.results,
					)) === String(time),
			);
			await w.quiet(page);
			const shown = await page.evaluate(() =>
				[
					...globalThis.memlamp.mounted.view.made.picture
						.results,
				].map(([n, r]) => [n, r.size, Array.from(r.served)]),
			);
			assert.ok(shown.length > 0);
			for (const [n, size, served] of shown) {
				const want = served.map(() => 0);
				for (let i = 0; i <= time; i++) {
					if (region[i] !== n) continue;
					const bytes = what[i] & 0x3fff || 1;
					const last = Math.floor(
						(offset[i] + bytes - 1) / size,
					);
					for (
						let k = Math.floor(offset[i] / size);
						k <= last && k < want.length;
						k++
					)
						want[k] = outcome[i] & 15;
				}
				assert.deepEqual(served, want, `region ${n} at ${time}`);
			}
		}
	},

	"matrices stand outside the ring, and their cells show the last accesses": async (
		w,
	) => {
		const page = await open(w, stride(w), TINY);

		for (const size of [
			{ width: 1280, height: 800 },
			{ width: 1920, height: 1080 },
		]) {
			await page.setViewportSize(size);
			await w.quiet(page);
			await goTo(w, page, await sweep(page));
			await w.quiet(page);
			const { boxes, circle, words, room } = await page.evaluate(() => {
				const v = globalThis.memlamp.mounted.view;
				const { x, y, r, boxes } = v.laid.around;
				return {
					boxes,
					circle: { x, y, r },
					words: [...v.host.querySelectorAll("button")].map(
						(b) => {
							const o =
								v.canvas.getBoundingClientRect();
							const k =
								b.getBoundingClientRect();
							return {
								x: k.x - o.x,
								y: k.y - o.y,
								w: k.width,
								h: k.height,
							};
						},
					),
					room: [v.width, v.height],
				};
			});
			assert.equal(boxes.length, 1);
			const [b] = boxes;
			const dx = Math.max(b.x - circle.x, 0, circle.x - b.x - b.w);
			const dy = Math.max(b.y - circle.y, 0, circle.y - b.y - b.h);
			assert.ok(Math.hypot(dx, dy) > circle.r);
			assert.ok(b.x >= 0 && b.x + b.w <= room[0]);
			assert.ok(b.y >= 0 && b.y + b.h <= room[1]);
			for (const o of words)
				assert.ok(
					b.x + b.w <= o.x ||
						o.x + o.w <= b.x ||
						b.y + b.h <= o.y ||
						o.y + o.h <= b.y,
				);
			// the cell of the reference at the cursor: read above, served below
			const now = await page.evaluate(() => {
				const v = globalThis.memlamp.mounted.view;
				const a = v.made.picture.access;
				const m = v.matrices.frames.value[0].matrix;
				const cell = Math.floor(a.offset / m.grid.size);
				const [i, k] = m.grid.turned
					? [
							Math.floor(cell / m.grid.across),
							cell % m.grid.across,
						]
					: [
							cell % m.grid.across,
							Math.floor(cell / m.grid.across),
						];
				return {
					x: m.x + (i + 0.5) * m.cw - 0.5,
					y: m.y + k * m.ch,
					h: m.ch,
				};
			});
			const served = (
				await asked(
					page,
					`refs?from=${await w.value(page, "cursor")}&count=1`,
				)
			).outcome[0];
			const colours = {
				1: [0x21, 0x66, 0xac],
				2: [0xa9, 0x8c, 0xc0],
				3: [0xb2, 0x18, 0x2b],
			};
			assert.deepEqual(
				await pixel(page, now.x, now.y + 0.25 * now.h),
				[0x0a, 0x9b, 0xb8],
			);
			assert.deepEqual(
				await pixel(page, now.x, now.y + 0.6 * now.h),
				colours[served & 15],
			);
		}
		await choose(page, "rings.matrices", "off");
		await w.quiet(page);
		assert.equal(
			await page.evaluate(
				() =>
					globalThis.memlamp.mounted.view.matrices.boxes()
						.length,
			),
			0,
		);
	},

	"a glyph under the pointer is found in the matrix and in the source, and back":
		async (w) => {
			const page = await open(w, stride(w), TINY);

			await goTo(w, page, await sweep(page));
			const [left, top] = await corner(page);
			const g = (await drawn(page)).find(
				(x) => x.region === "A" && x.level === 0,
			);
			await page.mouse.move(left + g.x, top + g.y);
			const near = await w.until("the line of code", async () => {
				const h = await w.value(page, "hover");
				return h.line ? h : null;
			});
			// the only place that reads A down its columns
			assert.match(
				await tooltip(page),
				/read .* at stride\.c:33, served by/,
			);
			assert.equal(near.line, 33);
			assert.equal(await page.locator(".hovered").count(), 1);
			const cell = await page.evaluate(() => {
				const m =
					globalThis.memlamp.mounted.view.matrices.frames
						.value[0].matrix;
				return [m.x + m.cw / 2, m.y + m.ch / 2];
			});
			await page.mouse.move(left + cell[0], top + cell[1]);
			const back = await w.until("the cell", async () => {
				const h = await w.value(page, "hover");
				return h.offset?.[0] === 0 ? h : null;
			});
			assert.deepEqual(back.offset, [0, 4]);
			assert.match(await tooltip(page), /^A\[0\]\[0\]/);
		},

	"sets are chosen by their numbers or by clicks, and totals stay exact": async (
		w,
	) => {
		const page = await open(w, stride(w), TINY);
		const time = await sweep(page);
		const arms = async () =>
			[
				...new Set(
					(await drawn(page))
						.filter((g) => g.level === 0)
						.map((g) => g.arm),
				),
			].sort();

		await goTo(w, page, time);
		assert.deepEqual(await arms(), [0, 1, 2, 3]);
		await page.getByRole("button", { name: "Sets", exact: true }).click();
		const field = page.getByLabel("L1, 4 sets", { exact: true });
		await field.fill("0,2-9");
		await field.press("Enter");
		await page.getByText("sets are 0 to 3").waitFor();
		assert.deepEqual(await arms(), [0, 1, 2, 3]);
		await field.fill("0,2");
		await field.press("Enter");
		await w.until("two arms", async () => (await arms()).join() === "0,2");
		const held = (await told(page, time)).filter((k) => /^0:[02]:/.test(k));
		const all = (await told(page, time)).filter((k) => /^0:/.test(k));
		const svg = await w.svg(page);
		assert.ok(svg.includes(`2 of 4 sets: ${held.length} lines`));
		assert.equal(all.length, 16);
		assert.ok(svg.includes("all 16 lines"));
		assert.ok((await drawn(page)).some((g) => g.level === 1));
		// clicks beside glyphs, on arms
		const spots = await page.evaluate(() => {
			const q = globalThis.memlamp.mounted.view.made.picture;
			const l = q.place.rings.rings[0];
			const c = q.settled;
			const place = (arm) => {
				for (let r = l.r0 + 2; r < l.r1; r++)
					for (let a = 0; a < 6.28; a += 0.02) {
						const [x, y] = [
							r * Math.sin(a),
							-r * Math.cos(a),
						];
						let free = true;
						for (let i = 0; i < c.count && free; i++)
							free =
								Math.hypot(
									c.x[i] - x,
									c.y[i] - y,
								) > 10;
						const v = globalThis.memlamp.mounted.view;
						if (!free) continue;
						const u =
							(r * r - (l.r0 + 9) ** 2) /
							((l.r1 - 9) ** 2 -
								(l.r0 + 9) ** 2);
						if (u < 0.1 || u > 0.9) continue;
						const turned =
							(((a / 6.283185307 -
								l.turns * u) %
								1) +
								1) %
							1;
						const at = turned * l.arms - 0.5;
						if (Math.abs(at - arm) < 0.2 && v.width)
							return [q.x + x, q.y + y];
					}
				return null;
			};
			return [place(1), place(3)];
		});
		const [left, top] = await corner(page);
		await page.mouse.click(left + spots[0][0], top + spots[0][1]);
		await w.until("one arm", async () => (await arms()).join() === "1");
		await page.keyboard.down("Shift");
		await page.mouse.click(left + spots[1][0], top + spots[1][1]);
		await page.keyboard.up("Shift");
		await w.until("another", async () => (await arms()).join() === "1,3");
		await w.until("the address has it", () =>
			/rings\.sets\.1=1(%2C|,)3/.test(page.url()),
		);
	},

	"scores of the temperature can be changed, and the glow follows": async (w) => {
		const page = await open(w, stride(w), TINY);
		const time = await sweep(page);
		const temperature = () =>
			page.evaluate(() =>
				Array.from(
					globalThis.memlamp.mounted.view.made.picture.held
						.temperature,
				),
			);

		await goTo(w, page, time);
		const { outcome } = await asked(
			page,
			`refs?from=${time + 1 - 200}&count=200`,
		);
		const [l1, l2, memory] = [1, 2, 3].map(
			(n) => outcome.filter((o) => (o & 15) === n).length,
		);
		const before = await w.svg(page);
		await page
			.getByRole("button", { name: "Temperature", exact: true })
			.click();
		const put = async (label, value) => {
			const field = page.getByLabel(label, { exact: true });
			await field.fill(value);
			await field.press("Enter");
		};
		await put("hit in L1", "5");
		await put("miss in L1", "-0.5");
		await put("miss in L2", "0");
		await put("last references", "200");
		const want = [(5 * l1 - 0.5 * (l2 + memory)) / 200, l2 / 200];
		await w.until("other temperatures", async () => {
			const t = await temperature();
			return want.every((v, i) => Math.abs(v - t[i]) < 1e-6);
		});
		await w.quiet(page);
		assert.notEqual(await w.svg(page), before);
		await w.until("the address has it", () =>
			/temperature\.scores/.test(page.url()),
		);
		// the server's curve has the same scores
		const curve = await asked(
			page,
			`temperature?from=0&to=${time + 1}&cells=65536&window=200&hit=5,1&miss=-0.5,0`,
		);
		const last = curve.temperature.slice(-2);
		assert.ok(Math.abs(last[0] - want[0]) < 1e-6);
		await page.getByRole("button", { name: "As usual" }).click();
		await w.until(
			"the usual ones",
			async () => (await w.svg(page)) === before,
		);
	},

	"many paths are bundled, and the bundles say how many they are": async (w) => {
		const page = await open(w, stride(w), TINY);
		const time = await sweep(page);

		await goTo(w, page, time);
		await choose(page, "rings.tail", "4096");
		await w.until("bundles", () =>
			page.evaluate(
				() =>
					!!globalThis.memlamp.mounted.view.made.picture
						.bundles &&
					globalThis.memlamp.mounted.view.made.picture
						.tail === 4096,
			),
		);
		const { kind } = await asked(
			page,
			`moves?from=${time + 1 - 4096}&count=4096`,
		);
		const moved = kind.filter((k) => [0, 2, 3, 5, 7].includes(k)).length;
		const bundles = await page.evaluate(() =>
			globalThis.memlamp.mounted.view.made.picture.bundles.map((b) => ({
				...b,
			})),
		);
		assert.ok(moved > 1500);
		assert.equal(
			bundles.reduce((n, b) => n + b.count, 0),
			moved,
		);
		assert.ok(bundles.length < 400);
		const words = `${moved.toLocaleString("en")} paths in ${bundles.length} bundles`;
		assert.ok((await w.svg(page)).includes(words), words);
		// the widest one that comes from memory, halfway
		const b = bundles
			.filter((x) => !x.leaves && x.source === 3)
			.reduce((x, y) => (y.count > x.count ? y : x));
		const [left, top] = await corner(page);
		const found = await page.evaluate(async (count) => {
			const v = globalThis.memlamp.mounted.view;
			const q = v.made.picture;
			const b = q.bundles.find(
				(x) => !x.leaves && x.source === 3 && x.count === count,
			);
			const r = q.place.rings;
			// between the rings and memory there are no glyphs
			const at = (t) => {
				const u = 1 - t;
				const k = [u ** 3, 3 * u * u * t, 3 * u * t * t, t ** 3];
				const p = [b.from, ...b.gates, b.to];
				return [0, 1].map((i) =>
					k.reduce((n, v, j) => n + v * p[j][i], 0),
				);
			};
			for (let t = 0; t < 1; t += 0.01) {
				const [x, y] = at(t);
				const far = Math.hypot(x, y);
				if (far < r.memory[0] - 3 && far > r.rings.at(-1).r1 + 2)
					return [q.x + x, q.y + y];
			}
			return null;
		}, b.count);
		await page.mouse.move(left + found[0], top + found[1]);
		await w.until("its words", async () =>
			/^\d[\d,]* lines? (came|left|written back) from/.test(
				await tooltip(page),
			),
		);
		assert.match(
			await tooltip(page),
			new RegExp(
				`of ${moved.toLocaleString("en")} movements in the last 4,096 references`,
			),
		);
	},

	"playing on and stepping back shows the same movements as going there": async (
		w,
	) => {
		const page = await open(w, stride(w), TINY);
		const time = await sweep(page);
		const shown = () =>
			page.evaluate(() => {
				const m = globalThis.memlamp.mounted.view.of.moves;
				return [
					m.from,
					m.count,
					...Array.from(m.line, String),
					...m.access,
					...m.kind,
				].join();
			});
		const want = async (t) => {
			const m = await asked(page, `moves?from=${t - 63}&count=64`);
			return [t - 63, 64, ...m.line, ...m.access, ...m.kind].join();
		};

		for (const t of [
			time,
			time + 7,
			time + 30,
			time + 29,
			time + 3,
			time + 200,
		]) {
			await goTo(w, page, t);
			assert.equal(await shown(), await want(t));
		}
	},

	"the picture of a moment is saved with every glyph in it": async (w) => {
		const page = await open(w, stride(w), TINY);

		await goTo(w, page, await sweep(page));
		const svg = await w.svg(page);
		const list = await drawn(page);
		const circles = svg.match(/<circle /g).length;
		const dirty = await page.evaluate(() => {
			const q = globalThis.memlamp.mounted.view.made.picture;
			return Array.from(q.settled.flags).filter((f) => f & 2).length;
		});
		assert.equal(circles, list.length + dirty);
		for (const g of list.slice(0, 5))
			assert.ok(
				svg.includes(
					`cx="${Math.round(g.x * 100) / 100}" cy="${Math.round(g.y * 100) / 100}"`,
				),
			);
	},

	"a line of code that is selected marks the data that it used": async (w) => {
		const page = await open(w, stride(w), TINY);
		const time = await sweep(page);

		await goTo(w, page, time);
		const file = await page.evaluate(
			() => globalThis.memlamp.trace.file.value,
		);
		await page.evaluate(
			(f) =>
				(globalThis.memlamp.trace.selection.value = {
					file: f,
					line: 33,
				}),
			file,
		);
		const A = await page.evaluate(
			() =>
				globalThis.memlamp.trace.regions.value.find(
					(r) => r.name === "A",
				).region,
		);
		const marked = () =>
			page.evaluate((n) => {
				const v = globalThis.memlamp.mounted.view;
				const c = v.made.picture.settled;
				return v.marked.chosen
					.filter(
						(i) =>
							c.lines.held.region[c.slot[i]] ===
							n,
					)
					.map((i) => c.lines.address[c.slot[i]] / 16);
			}, A);
		await w.until("marks", async () => (await marked()).length > 0);
		// no other line reads A in this phase
		const from = await page.evaluate(
			() =>
				globalThis.memlamp.trace.trace.value.phases.find(
					(p) => p.name === "bad stride",
				).from,
		);
		const { addr, region } = await asked(
			page,
			`refs?from=${from}&count=${time + 1 - from}`,
		);
		const used = new Set(
			addr
				.filter((_, i) => region[i] === A)
				.map((a) => Math.floor(a / 16)),
		);
		const held = (await told(page, time)).map(
			(k) => Number(k.split(":")[3]) / 16,
		);
		assert.deepEqual(
			[...new Set(await marked())].sort(),
			[...new Set(held.filter((l) => used.has(l)))].sort(),
		);
	},
};
