// Regions, caches, element against time, address space. What lights up is compared with
// what `memlamp dump` prints of the same trace, and the picture is read off its pixels.
import assert from "node:assert/strict";

const TINY = "tiny-2levels";
const stride = (w) => w.example("stride.c");

async function open(w, trace, machine, hash) {
	const page = await w.page(await w.serve(trace, { machine }), { hash });

	await w.until("regions are drawn", () =>
		page.evaluate(() => !!globalThis.memlamp.mounted.view?.light?.lit),
	);
	// the regions have their order when the findings are known
	await page.getByRole("heading", { name: "Findings" }).waitFor();
	return page;
}

/** Moves the cursor and waits until regions and caches show that moment. */
async function goTo(w, page, time) {
	await page.evaluate((t) => globalThis.memlamp.trace.setCursor(t), time);
	await settled(w, page);
}

async function settled(w, page) {
	await w.until("the picture shows the cursor's moment", () =>
		page.evaluate(() => {
			const { trace, mounted } = globalThis.memlamp;
			const now = trace.cursor.value;
			const v = mounted.view;
			return (
				v.light.lit?.cursor === now &&
				v.scene?.cursor === now &&
				!v.flight.flying() &&
				v.canvas.dataset.shown === String(now)
			);
		}),
	);
	await w.quiet(page); // with the frame after the flight
}

/** Names of the data in cells of a region that are not dark, as the canvas shows them. */
function litData(page, name) {
	return page.evaluate((region) => {
		const { view } = globalThis.memlamp.mounted;
		const f = view.frames.value.find((x) => x.region.name === region);
		const m = f.matrix;
		const c = view.canvas.getContext("2d");
		const scale = devicePixelRatio;
		const out = [];
		const at = (x, y) =>
			[
				...c.getImageData(
					Math.round(x * scale),
					Math.round(y * scale),
					1,
					1,
				).data,
			]
				.slice(0, 3)
				.join();
		const dark = document.documentElement.dataset.theme === "dark";
		const empty = dark ? "34,38,44" : "239,239,236";
		for (let y = 0; y < m.ny; y++)
			for (let x = 0; x < m.nx; x++) {
				const left = m.x + x * m.cw + m.cw / 2 - 1;
				const top = m.y + y * m.ch;
				const upper = at(left, top + m.ch * 0.3);
				if (upper !== empty) out.push(`${region}[${y}][${x}]`);
			}
		return out;
	}, name);
}

/** What dump says was touched of a region by references [from, to). */
function touched(refs, name, from, to) {
	return [
		...new Set(
			refs
				.filter(
					(r) =>
						r.time >= from &&
						r.time < to &&
						r.region === name,
				)
				.map((r) => r.datum),
		),
	].sort();
}

/** Everything that the view shows, as text. */
async function picture(page) {
	return page.evaluate(() => globalThis.memlamp.mounted.view.exportSvg());
}

/** The time at which a phase begins that the program marked. */
async function phase(page, name) {
	return page.evaluate(
		(n) =>
			globalThis.memlamp.trace.trace.value.phases.find(
				(p) => p.name === n,
			).from,
		name,
	);
}

export const tests = {
	"cells of the matrix light up exactly where the trace touched it": async (w) => {
		const page = await open(
			w,
			stride(w),
			TINY,
			"#view=regions&o.regions.trail=16",
		);
		const refs = w.refs(stride(w)).filter((r) => r.kind);
		const bad = await phase(page, "bad stride");

		const reads = refs.filter((r) => r.region === "A" && r.time > bad);

		for (const { time: at } of [reads[20], reads[60], reads[120]]) {
			await goTo(w, page, at);
			const expected = touched(refs, "A", at - 15, at + 1);
			assert.ok(expected.length > 5);
			assert.deepEqual((await litData(page, "A")).sort(), expected);
		}
	},

	"reads are cyan, writes orange, and memory red below": async (w) => {
		const page = await open(
			w,
			stride(w),
			TINY,
			"#view=regions&o.regions.trail=1&o.regions.show=1",
		);
		const refs = w.refs(stride(w)).filter((r) => r.kind && r.region === "A");

		for (const ref of [
			refs.find((r) => r.kind === "w"),
			refs.find((r) => r.kind === "r"),
		]) {
			await goTo(w, page, ref.time);
			const svg = await picture(page);
			assert.ok(svg.includes(ref.kind === "w" ? "#e8750c" : "#0a9bb8"));
		}
		// the first read of "bad stride" comes from memory on this machine
		const first = refs.find((r) => r.kind === "r");
		await goTo(w, page, first.time);
		const words = await page.evaluate(() => {
			const { view } = globalThis.memlamp.mounted;
			const m = view.frames.value[0].matrix;
			const key = [...view.light.lit.last.keys()].find((k) =>
				k.startsWith(
					`${m.grid.region}:${m.grid.size}:${m.grid.pitch}`,
				),
			);
			return Math.max(...view.light.lit.last.get(key).served);
		});
		assert.equal(words, 3);
	},

	"stepping back shows the identical picture": async (w) => {
		const page = await open(w, stride(w), TINY, "#view=regions");
		const bad = await phase(page, "bad stride");
		const seen = [];

		await goTo(w, page, bad + 30);
		for (let i = 0; i < 6; i++) {
			seen.push(await picture(page));
			await page.keyboard.press("ArrowRight");
			await settled(w, page);
		}
		assert.equal(new Set(seen).size, 6, "every step changes the picture");
		for (let i = 5; i >= 0; i--) {
			await page.keyboard.press("ArrowLeft");
			await settled(w, page);
			assert.equal(await picture(page), seen[i]);
		}
		// and so does a jump from elsewhere
		await goTo(w, page, bad + 100);
		await goTo(w, page, bad + 30);
		assert.equal(await picture(page), seen[0]);
	},

	"references of the page and cells of the server light up the same": async (w) => {
		const trace = w.example("matmul16.c");
		const page = await open(w, trace, "tiny-4sets", "#view=regions");

		await goTo(w, page, (await phase(page, "naive")) + 700);
		const same = await page.evaluate(async () => {
			const { view } = globalThis.memlamp.mounted;
			const local = view.light.lit;
			view.light.lit = null;
			await view.light.ask(local.cursor, local.trail);
			const server = view.light.lit;
			let lit = 0;
			for (const [key, a] of local.last) {
				const b = server.last.get(key);
				for (let i = 0; i < a.read.length; i++) {
					if (
						a.read[i] !== b.read[i] ||
						a.write[i] !== b.write[i]
					)
						return "times";
					if (a.served[i] !== b.served[i]) return "levels";
					if (a.place(i)?.line !== b.place(i)?.line)
						return "lines";
					lit += a.served[i] > 0;
				}
			}
			return lit;
		});
		assert.ok(same > 20, String(same));
	},

	"the cache holds the line that was just read": async (w) => {
		const page = await open(w, stride(w), TINY, "#view=regions");
		const refs = w.refs(stride(w)).filter((r) => r.kind && r.region === "A");
		const ref = refs[200];

		await goTo(w, page, ref.time);
		const held = await page.evaluate(() => {
			const { held } = globalThis.memlamp.mounted.view.scene;
			return [...held.line.subarray(0, 4)].map((l) => l.toString(16));
		});
		const line = (BigInt(ref.address) / 16n) * 16n;
		assert.ok(
			held.includes(line.toString(16)),
			`${line.toString(16)} in ${held}`,
		);
	},

	"a cell that is clicked is selected and its history is what dump prints": async (
		w,
	) => {
		const page = await open(w, stride(w), TINY, "#view=regions");
		const refs = w
			.refs(stride(w))
			.filter((r) => r.kind && r.datum === "A[5][2]");
		const spot = await page.evaluate(() => {
			const { view } = globalThis.memlamp.mounted;
			const m = view.frames.value.find(
				(f) => f.region.name === "A",
			).matrix;
			const box = view.canvas.getBoundingClientRect();
			return [box.x + m.x + 2.5 * m.cw, box.y + m.y + 5.5 * m.ch];
		});

		await page.mouse.move(...spot);
		await page.getByText("A[5][2]").first().waitFor();
		await page.mouse.click(...spot);
		assert.deepEqual((await w.value(page, "selection")).offset, [88, 92]);
		await page.locator(".history tr").first().waitFor();
		const times = await page
			.locator(".history td:first-child")
			.allTextContents();
		assert.deepEqual(
			times.map((t) => Number(t.replace(/,/g, ""))),
			refs.map((r) => r.time),
		);
	},

	"a line of code that is selected leaves its cells bright": async (w) => {
		const page = await open(
			w,
			stride(w),
			TINY,
			"#view=regions&o.regions.mode=count&o.regions.show=1",
		);
		const chosen = async (line) => {
			await page.evaluate((n) => {
				const { trace } = globalThis.memlamp;
				trace.selection.value = {
					file: trace.file.value,
					line: n,
				};
			}, line);
			await w.until("cells are known", () =>
				page.evaluate(
					() =>
						!!globalThis.memlamp.mounted.view.chosen
							.value,
				),
			);
			return page.evaluate(() => {
				const all = [
					...globalThis.memlamp.mounted.view.chosen.value.values(),
				];
				return all.map((c) => [...c].reduce((s, v) => s + v, 0));
			});
		};
		const source = await page.evaluate(() =>
			[...document.querySelectorAll(".line")].map((l) => l.textContent),
		);
		assert.ok(source.length);
		const refs = w.refs(stride(w)).filter((r) => r.kind && r.region === "A");
		const line = refs.at(-1).site.frames[0].line;
		const made = refs.filter((r) => r.site.frames[0].line === line).length;
		assert.deepEqual(await chosen(line), [made]);
	},

	"regions are hidden, folded, moved and reshaped, and the address restores it":
		async (w) => {
			const trace = w.example("matmul16.c");
			const page = await open(w, trace, "tiny-4sets", "#view=regions");
			const names = (p) =>
				p.evaluate(() =>
					globalThis.memlamp.mounted.view.frames.value
						.map((f) => f.region.name)
						.sort(),
				);

			assert.deepEqual(await names(page), ["A", "B", "C"]);
			const title = await page.evaluate(() => {
				const { view } = globalThis.memlamp.mounted;
				const box = view.canvas.getBoundingClientRect();
				const a = view.frames.value.find(
					(f) => f.region.name === "A",
				).box;
				return [box.x + a.x + 90, box.y + a.y + 8];
			});
			await page.mouse.move(...title);
			await page.getByLabel("shape and order of A").click();
			await page.locator(".region-form input").nth(1).fill("16");
			await page.locator(".region-form input").nth(1).press("Enter");
			await page.mouse.click(title[0] - 60, title[1] + 400);
			await page.mouse.move(...title);
			await page.mouse.down();
			await page.mouse.move(title[0] + 30, title[1] + 25, { steps: 3 });
			await page.mouse.up();
			await page.getByLabel("choose which regions are shown").click();
			await page
				.locator(".region-list label", { hasText: "C" })
				.last()
				.scrollIntoViewIfNeeded();
			await page
				.locator(".region-list label")
				.filter({
					has: page.locator("span.mono", {
						hasText: /^C$/,
					}),
				})
				.locator("input")
				.uncheck();
			assert.deepEqual(await names(page), ["A", "B"]);
			await w.until("the address has it", () =>
				page.url().includes("regions.show"),
			);
			const other = await open(
				w,
				trace,
				"tiny-4sets",
				new URL(page.url()).hash,
			);
			assert.deepEqual(await names(other), ["A", "B"]);
			const [one, two] = await Promise.all(
				[page, other].map((p) =>
					p.evaluate(() => {
						const f =
							globalThis.memlamp.mounted.view.frames.value.find(
								(x) =>
									x.region.name ===
									"A",
							);
						return { box: f.box, row: f.shape.row };
					}),
				),
			);
			assert.deepEqual(one, two);
			assert.equal(two.row, 16);
		},

	"the end of a row is dragged, and the address keeps its length": async (w) => {
		const trace = w.example("matmul.c", "16"); // A is 2048 bytes of the heap
		const page = await open(w, trace, "tiny-4sets", "#view=regions");
		const end = () =>
			page.evaluate(() => {
				const { view } = globalThis.memlamp.mounted;
				const box = view.canvas.getBoundingClientRect();
				const f = view.frames.value.find(
					(x) => x.region.name === "A",
				);
				const m = f.matrix;
				return {
					row: f.shape.row,
					left: box.x + m.x,
					x: box.x + m.x + m.nx * m.cw,
					y: box.y + m.y + (m.ny * m.ch) / 2,
				};
			});

		await w.quiet(page); // later answers move the frames
		const old = await end();
		await page.mouse.move(old.x, old.y);
		await page.mouse.down();
		await page.mouse.move((old.left + old.x) / 2, old.y, { steps: 4 });
		await page.getByText(`rows of ${old.row / 2} elements`).waitFor();
		await page.mouse.up();
		assert.equal((await end()).row, old.row / 2);
		await w.until("the address has it", () =>
			page.url().includes("regions.shape"),
		);
		await page.reload();
		await w.ready(page);
		await w.quiet(page);
		assert.equal((await end()).row, old.row / 2);
	},

	"particles light up in the lanes of the fields that the loop uses": async (w) => {
		const trace = w.example("particles.c");
		const page = await open(w, trace, "plain", "#view=regions");
		const at = 300000; // within move()

		await goTo(w, page, at);
		const { lanes, trail } = await page.evaluate(() => {
			const { view } = globalThis.memlamp.mounted;
			const f = view.frames.value[0];
			const last = [...view.light.lit.last].find(
				([k]) => k.split(":")[2] === "64",
			)[1];
			const out = new Set();
			for (let i = 0; i < last.served.length; i++)
				if (last.served[i])
					out.add(
						f.shape.fields[i % f.matrix.grid.across]
							.name,
					);
			return { lanes: [...out].sort(), trail: view.light.lit.trail };
		});
		const refs = JSON.parse(
			w.memlamp(
				"dump",
				"--json",
				"--region=particles",
				`--from=${at + 1 - trail}`,
				`--to=${at + 1}`,
				trace,
			),
		);
		const fields = new Set(refs.map((r) => r.datum.split(".")[1]));
		assert.ok(fields.size > 1);
		assert.deepEqual(lanes, [...fields].sort());
	},

	"of what is fetched only the bytes that are read count as used": async (w) => {
		const page = await open(
			w,
			w.text(
				"fetched",
				// 32 structures of 64 bytes, of which 16 bytes are read
				`region S 0x10000 2048 64 32\nr0x10000:16+64*32\n`,
			),
			"L1 256 2w 64B | L2 1K 4w",
			"#view=regions&o.regions.mode=used&o.regions.range=run&o.regions.shape.1=8:8:rows",
		);
		const values = () =>
			page.evaluate(() => {
				const { view } = globalThis.memlamp.mounted;
				const of = view.heat.answers.value?.of;
				return of ? [...[...of.values()][0].values] : null;
			});

		await w.until("bytes are counted", values);
		const all = await values();
		// a cell is a word of 8 bytes: two of eight are used, wholly
		assert.equal(all.length, 256);
		all.forEach((v, i) =>
			i % 8 < 2 ? assert.equal(v, 1) : assert.ok(v > 0 && v < 1e-6),
		);
	},

	"reuse distance counts lines, and time to reuse references": async (w) => {
		const page = await open(
			w,
			// line 0, three others, line 0 again, twice
			w.text(
				"far",
				"region S 0x10000 256 8\nr0x10000+64*4\nr0x10000 r0x10008\n",
			),
			"L1 256 2w 64B",
			"#view=regions&o.regions.mode=distance&o.regions.range=run",
		);
		const values = () =>
			page.evaluate(() => {
				const of =
					globalThis.memlamp.mounted.view.heat.answers.value
						?.of;
				return of
					? [...[...of.values()][0].values].slice(0, 3)
					: null;
			});

		await w.until("distances are there", values);
		// with the line itself: 0 comes back after three others, 8 at once
		assert.deepEqual(await values(), [4, 1, 0]);
		await page.evaluate(() =>
			globalThis.memlamp.store.setOption("regions.mode", "reuse"),
		);
		await w.until(
			"another mode",
			async () =>
				(await values())?.[0] === 4 && (await values())[1] === 0,
		);
	},

	"the stack of a function is drawn as far as it was touched": async (w) => {
		const trace = w.example("sorts.c");
		const page = await open(w, trace, TINY, "#view=regions");
		const refs = w.refs(trace).filter((r) => r.region === "stack of merge");
		const stack = await page.evaluate(() =>
			globalThis.memlamp.trace.regions.value.find(
				(r) => r.name === "stack of merge",
			),
		);

		assert.equal(stack.references, refs.length);
		const lines = refs.map((r) => BigInt(r.address) / 64n);
		const low = lines.reduce((a, b) => (a < b ? a : b));
		const high = lines.reduce((a, b) => (a > b ? a : b));
		assert.equal(stack.extent, Number(high - low + 1n) * 64);
		await page.evaluate((n) => {
			globalThis.memlamp.store.setOption("regions.show", String(n));
			globalThis.memlamp.store.setOption("regions.mode", "count");
			globalThis.memlamp.store.setOption("regions.range", "run");
		}, stack.region);
		const sum = await w.until("accesses are counted", () =>
			page.evaluate(() => {
				const { view } = globalThis.memlamp.mounted;
				const v = [
					...(view.heat.answers.value?.of.values() ?? []),
				];
				return v.length === 1 && view.frames.value.length === 1
					? [...v[0].values].reduce((a, b) => a + b, 0)
					: 0;
			}),
		);
		// a cell is a word, and so is what is pushed
		assert.equal(sum, refs.length);
	},

	"element against time has a cell for every reference when zoomed in": async (
		w,
	) => {
		const page = await w.page(await w.serve(stride(w), { machine: TINY }), {
			hash: "#view=plane&o.plane.region=1",
		});
		const refs = w.refs(stride(w)).filter((r) => r.kind);
		const bad = await phase(page, "bad stride");

		await page.evaluate(
			(b) =>
				globalThis.memlamp.trace.setWindow({
					from: b,
					to: b + 64,
				}),
			bad,
		);
		const cells = await w.until("the picture has the window", () =>
			page.evaluate((b) => {
				const a = globalThis.memlamp.mounted.view.answer.value;
				if (a?.from !== b || a.columns !== 64 || a.rows !== 128)
					return null;
				const out = [];
				for (let c = 0; c < 64; c++)
					for (let r = 0; r < 128; r++)
						if (a.level[r * 64 + c])
							out.push([
								b + c,
								`A[${Math.floor(r / 4)}][${r % 4}]`,
							]);
				return out;
			}, bad),
		);
		assert.deepEqual(
			cells,
			refs
				.filter(
					(r) =>
						r.time >= bad &&
						r.time < bad + 64 &&
						r.region === "A",
				)
				.map((r) => [r.time, r.datum]),
		);
		// a click jumps
		const box = await page.locator("main canvas").boundingBox();
		await page.mouse.click(box.x + 96 + (box.width - 110) * 0.5, box.y + 200);
		const at = await w.value(page, "cursor");
		assert.ok(Math.abs(at - (bad + 32)) <= 1, String(at));
	},

	"the address space points at the present reference": async (w) => {
		const page = await w.page(await w.serve(stride(w), { machine: TINY }), {
			hash: "#view=space",
		});
		const refs = w.refs(stride(w)).filter((r) => r.kind && r.region === "A");

		await page.evaluate(
			(t) => globalThis.memlamp.trace.setCursor(t),
			refs[200].time,
		);
		await w.until("the arrow is there", async () =>
			(await picture(page)).includes(">read A<"),
		);
	},

	"the cache alone tells in which order lines leave": async (w) => {
		const page = await w.page(await w.serve(stride(w), { machine: TINY }), {
			hash: "#view=cache&o.cache.level=1",
		});
		const bad = await phase(page, "bad stride");
		const ref = w
			.refs(stride(w))
			.filter((r) => r.kind && r.region === "A" && r.time > bad)[50];

		await page.evaluate(
			(t) => globalThis.memlamp.trace.setCursor(t),
			ref.time,
		);
		await w.until("the moment is shown", () =>
			page.evaluate(
				(t) =>
					globalThis.memlamp.mounted.view.scene?.cursor ===
					t,
				ref.time,
			),
		);
		const svg = await picture(page);
		for (let i = 1; i <= 8; i++)
			assert.ok(svg.includes(`>${i}</text>`), `number ${i}`);
		// a line is a row of the matrix; that of the last read leaves last
		const row = ref.datum.replace(/\d\]$/, "0]");
		assert.ok(svg.includes(`>${row}<`), row);
		const leaves = await page.evaluate(
			([address]) => {
				const { held } = globalThis.memlamp.mounted.view.scene;
				const at = held.line.lastIndexOf(
					(BigInt(address) / 16n) * 16n,
				);
				return held.rank[at];
			},
			[ref.address],
		);
		assert.equal(leaves, 0);
	},

	"every picture of memory is saved as SVG and PNG": async (w) => {
		const page = await w.page(await w.serve(stride(w), { machine: TINY }), {
			hash: "#view=regions",
		});
		const bad = await phase(page, "bad stride");

		await page.evaluate(
			(t) => globalThis.memlamp.trace.setCursor(t),
			bad + 60,
		);
		for (const view of ["regions", "cache", "plane", "space"]) {
			await page.evaluate(
				(v) => (globalThis.memlamp.store.view.value = v),
				view,
			);
			const fault = await w.until(`${view} is drawn`, () =>
				page.evaluate(async () => {
					const { view: v } = globalThis.memlamp.mounted;
					const text = v.exportSvg();
					if (text.length < 2000) return null;
					const svg = new DOMParser().parseFromString(
						text,
						"image/svg+xml",
					);
					const bad = svg.querySelector("parsererror");
					const png = await v.exportPng();
					if (bad) return bad.textContent;
					return /NaN|Infinity/.test(text)
						? "no number"
						: `${png.type} ok`;
				}),
			);
			assert.equal(fault, "image/png ok", view);
		}
	},
};
