// The views of a flow. Expected numbers come from loops written out here, and from a list of
// lines in order of use, searched from its end: no code of the program.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

const OUTER =
	"void outer(int n, int m, const double *A, const double *B, double C[n][m])\n{\n" +
	"\tfor (int i = 0; i < n; i++)\n\t\tfor (int j = 0; j < m; j++)\n" +
	"\t\t\tC[i][j] = A[i] * B[j];\n}\n" +
	"void copy(int k, const double *x, double *y)\n{\n" +
	"\tfor (int i = 0; i < k; i++)\n\t\ty[i] = x[i];\n}\n";
const MATMUL =
	"void mm(int M, int K, int N, float A[M][K], float B[K][N], float C[M][N])\n{\n" +
	"\tfor (int i = 0; i < M; i++)\n\t\tfor (int j = 0; j < N; j++)\n" +
	"\t\t\tfor (int k = 0; k < K; k++)\n" +
	"\t\t\t\tC[i][j] += A[i][k] * B[k][j];\n}\n";

/** Accesses of the matrix product as [container, byte in it]; B by columns if asked. */
function matmul(M, K, N, column) {
	const out = [];

	for (let i = 0; i < M; i++)
		for (let j = 0; j < N; j++)
			for (let k = 0; k < K; k++)
				out.push(
					["A", 4 * (i * K + k)],
					["B", 4 * (column ? j * K + k : k * N + j)],
					["C", 4 * (i * N + j)],
					["C", 4 * (i * N + j)],
				);
	return out;
}

/** Cold misses and misses of an LRU cache by container: [cold, misses]. */
function misses(accesses, line, capacity) {
	const stack = []; // the line used last is at the end
	const count = {};

	for (const [c, at] of accesses) {
		const name = `${c} ${Math.floor(at / line)}`;
		const from = stack.lastIndexOf(name);

		count[c] ??= [0, 0];
		if (from < 0) count[c][0]++;
		else {
			if (stack.length - 1 - from >= capacity) count[c][1]++;
			stack.splice(from, 1);
		}
		stack.push(name);
	}
	return count;
}

async function open(w, name, text, hash = "") {
	const path = text ? join(w.scratch, name) : name;

	if (text) writeFileSync(path, text);
	const page = await w.page(await w.serve(path), {
		wait: false,
		hash: hash && `#${hash}`,
	});
	await w.until("the program is drawn", () =>
		page
			.evaluate(() => {
				const f = globalThis.memlamp?.flow;
				const local =
					globalThis.memlamp?.store.view.value === "local";
				return local
					? !!f?.local.elements.value &&
							!!f.local.step.value
					: !!f?.scales.value;
			})
			.catch(() => false),
	);
	await w.quiet(page);
	return page;
}

const flow = (page, name) => page.evaluate((n) => globalThis.memlamp.flow[n].value, name);
const local = (page, name) =>
	page.evaluate((n) => globalThis.memlamp.flow.local[n].value, name);
const choose = (page, changes) =>
	page.evaluate((c) => globalThis.memlamp.flow.choose(c), changes);

/** Rows of the table of containers: name -> [accesses, cold, misses]. */
async function table(page) {
	const rows = await page.$$eval(".flow-containers tbody tr", (all) =>
		all.map((r) =>
			[...r.cells].map((c) =>
				c.innerText.replaceAll(",", "").split(/\s+/).at(-1),
			),
		),
	);

	return Object.fromEntries(
		rows.map(([name, ...rest]) => [name, rest.slice(0, 3).map(Number)]),
	);
}

/** The middle of an element on the screen. */
async function element(page, container, index) {
	const box = await page.locator(".stage .canvas canvas").first().boundingBox();
	const at = await page.evaluate(
		([c, ix]) => {
			const v = globalThis.memlamp.mounted.view;
			const side = v.sides.at(-1);
			const item = side.scene.items.find((i) => i.container === c);
			const g = item.grid;
			let [x, y] = [0.5, 0.5];
			ix.forEach((n, d) => {
				x += n * g.dx[d];
				y += n * g.dy[d];
			});
			return v.screenOf(side.x + item.x + 14 * x, item.y + 20 + 14 * y);
		},
		[container, index],
	);

	return [box.x + at[0], box.y + at[1]];
}

const tip = async (page) => page.locator(".tooltip").first().innerText();

export const tests = {
	"edges have the volumes of the loops, and follow the sizes": async (w) => {
		const page = await open(w, "mm.c", MATMUL, "o.flow.set=M=9,K=10,N=15");
		const volumes = async () => {
			const [m, p] = [
				await flow(page, "metrics"),
				await flow(page, "program"),
			];
			const root = [...Object.values(m.node)];
			return Object.fromEntries(
				p.containers.flatMap((c, i) => {
					const row = root.findIndex(
						(n, k) => n === 0 && m.container[k] === i,
					);
					return row < 0
						? []
						: [
								[
									c.name,
									[
										m.read[
											row
										],
										m.written[
											row
										],
									],
								],
							];
				}),
			);
		};
		// each of 9 x 15 x 10 products reads three elements of 4 bytes and writes one
		const moved = 4 * 9 * 10 * 15;

		assert.deepEqual(await volumes(), {
			A: [moved, 0],
			B: [moved, 0],
			C: [moved, moved],
		});
		assert.match(await w.svg(page), />5\.3 KiB</);
		await page.locator('input[aria-label="M"]').fill("18");
		await page.keyboard.press("Enter");
		await page.locator('input[aria-label="M"]').blur();
		await w.until(
			"the volumes of M = 18",
			async () => (await volumes()).A[0] === 2 * moved,
		);
		await page.keyboard.press("Control+z");
		await w.until("undone", async () => (await volumes()).A[0] === moved);
	},

	"a selected movement has its formula and its line": async (w) => {
		const page = await open(w, "mm.c", MATMUL, "o.flow.pick=e4:1");

		await w.until("the formula", async () =>
			/= 4\*M\*K\*N bytes/.test(
				await page.locator(".flow-side").innerText(),
			),
		);
		assert.match(await page.locator(".flow-side").innerText(), /mm\.c:6/);
		assert.match(
			await page.locator(".flow-edit").getAttribute("href"),
			/mm\.c:6$/,
		);
		await page.getByText("mm.c:6").click();
		await w.until("the line of the source", async () =>
			(await page.locator(".line.selected").innerText()).includes(
				"C[i][j] +=",
			),
		);
	},

	"scopes fold where the pointer is, and undo unfolds them": async (w) => {
		const page = await open(w, "mm.c", MATMUL);
		const canvas = page.locator(".stage .canvas canvas").first();
		const folded = async () =>
			(await flow(page, "frame")).items.some((i) => i.box && i.folded);
		const box = await canvas.boundingBox();

		assert.equal(await folded(), false);
		// below the headers, beside the computation
		const at = await page.evaluate(() => {
			const f = globalThis.memlamp.flow.frame.value;
			const i = f.items.find((x) => x.box);
			return globalThis.memlamp.mounted.view.screenOf(
				i.x + 6,
				i.y + i.h - 6,
			);
		});
		await page.mouse.dblclick(box.x + at[0], box.y + at[1]);
		await w.until("folded", folded);
		assert.match(await w.svg(page), />i = 0 to M - 1</);
		await page.keyboard.press("Control+z");
		await w.until("unfolded", async () => !(await folded()));
	},

	"the search and the outline lead to a place of the picture": async (w) => {
		const page = await open(w, "mm.c", MATMUL);

		await page.keyboard.press("c");
		await page.keyboard.press("/");
		await page.keyboard.type("C[i][j] +=");
		await page.keyboard.press("Enter");
		await w.until("the computation is selected and shown", async () => {
			const p = await flow(page, "picked");
			return p?.kind === "node" && p.node === 4;
		});
		assert.equal(
			(await flow(page, "frame")).items.some((i) => i.box && i.folded),
			false,
		);
		await page.locator('[data-node="2"]').click();
		await w.until("the loop is selected", async () =>
			/j = 0 to N - 1/.test(
				await page.locator(".flow-side").innerText(),
			),
		);
	},

	"a click in the small map moves the picture": async (w) => {
		const page = await open(w, "mm.c", MATMUL);
		const box = await page
			.locator(".stage .canvas canvas")
			.first()
			.boundingBox();
		const middle = () =>
			page.evaluate(() =>
				globalThis.memlamp.mounted.view.screenOf(0, 0),
			);
		const before = await middle();

		await page.keyboard.press("w");
		await page.mouse.click(box.x + box.width - 40, box.y + 20);
		await w.until("it has moved", async () => {
			const now = await middle();
			return Math.abs(now[1] - before[1]) > 40;
		});
	},

	"curves are the formulas at other sizes": async (w) => {
		const page = await open(
			w,
			"mm.c",
			MATMUL,
			"o.flow.set=M=9,K=10,N=15&o.flow.against=K&o.flow.curve=operations",
		);
		const c = await page.evaluate(() => {
			const x = globalThis.memlamp.flow.curve.value;
			return { k: [...x.value], ops: [...x.operations] };
		});

		c.k.forEach((k, i) => assert.equal(c.ops[i], 2 * 9 * 15 * k));
	},

	"misses against a size are those of a simulation at each size": async (w) => {
		const page = await open(
			w,
			"mm.c",
			MATMUL,
			"o.flow.set=M=5,K=6,N=8&o.flow.against=K&o.flow.curve=misses",
		);

		await w.until("the curve", () =>
			page.evaluate(
				() => globalThis.memlamp.flow.curve.value?.cold[0] > 0,
			),
		);
		const c = await page.evaluate(() => {
			const x = globalThis.memlamp.flow.curve.value;
			return {
				k: [...x.value],
				cold: [...x.cold],
				misses: [...x.misses],
			};
		});
		c.k.forEach((k, i) => {
			const by = Object.values(misses(matmul(5, k, 8, false), 64, 10));
			const sum = (n) => by.reduce((all, x) => all + x[n], 0);

			assert.deepEqual([c.cold[i], c.misses[i]], [sum(0), sum(1)]);
		});
		assert.match(
			await page.locator(".flow-side").innerText(),
			/Cold and capacity misses of lines of 64 bytes/,
		);
	},

	"depth, parallelism and what loops carry": async (w) => {
		const page = await open(w, "mm.c", MATMUL);
		const side = () => page.locator(".flow-side").innerText();

		// a product and a sum for each k, one after another; i and j are free
		assert.match(await side(), /depth\s+2\*K operations in a row/);
		assert.match(await side(), /parallelism\s+M\*N operations at a time/);
		await page.locator('[data-node="3"]').click();
		await w.until("the loop over k", async () =>
			/they add up to one result/.test(await side()),
		);
		await page.locator('[data-node="2"]').click();
		await w.until("the loop over j", async () =>
			/may run at the same time/.test(await side()),
		);
	},

	"hdiff of DaCe: reads and lines of its stencil, element by element": async (
		w,
	) => {
		const page = await open(
			w,
			join(
				w.root,
				"tests/sdfg/hdiff_fused_kij_loops_kij_pad_dace1.0.2.sdfg",
			),
			null,
			"view=local&o.flow.local=I=8,J=8,K=5",
		);
		const lines = new Set(); // of 8 elements; rows of 12 are padded to 16
		const reads = new Map(); // by element

		for (let k = 0; k < 5; k++)
			for (let i = 0; i < 8; i++)
				for (let j = 0; j < 8; j++)
					for (let di = -2; di <= 2; di++)
						for (let dj = -2; dj <= 2; dj++) {
							if (
								Math.abs(di) +
									Math.abs(dj) >
								2
							)
								continue;
							const at =
								(k * 12 + i + 2 + di) *
									16 +
								j +
								2 +
								dj;
							lines.add(Math.floor(at / 8));
							reads.set(
								at,
								(reads.get(at) ?? 0) + 1,
							);
						}
		const rows = await table(page);
		assert.deepEqual(rows["in_field"].slice(0, 2), [
			13 * 8 * 8 * 5,
			lines.size,
		]);
		assert.equal(rows["out_field"][0], 8 * 8 * 5);
		const count = await page.evaluate(() => {
			const f = globalThis.memlamp.flow;
			const e = f.local.elements.value;
			const of = f.program.value.containers.findIndex(
				(c) => c.name === "in_field",
			);
			const part = e.cells.get(of);
			return {
				low: part.low,
				list: [
					...e.count.slice(
						part.first,
						part.first + part.cells,
					),
				],
			};
		});
		count.list.forEach((n, i) =>
			assert.equal(n, reads.get(count.low + i) ?? 0),
		);
	},

	"elements show what a machine missed": async (w) => {
		const page = await open(
			w,
			"outer.c",
			OUTER,
			"view=local&o.flow.local=n=3,m=4&o.flow.heat=memory&" +
				"o.flow.machine=L1 32 full 32B | L2 4K full 32B",
		);
		const [missed, memory] = await page.evaluate(() => {
			const e = globalThis.memlamp.flow.local.elements.value;
			const c = e.cells.get(2);
			const part = (x) => [...x.slice(c.first, c.first + c.cells)];
			return [part(e.missed), part(e.memory)];
		});

		// three arrays take the one line of L1 from each other; L2 keeps all: one
		// access to memory for each line of four elements
		assert.deepEqual(missed, new Array(12).fill(1));
		assert.deepEqual(memory, [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]);
		assert.match(await w.svg(page), />accesses that memory served</);
		await choose(page, { machine: null });
		await w.until(
			"without a machine accesses are shown",
			async () => (await local(page, "heat")) === "count",
		);
	},

	"another function of the file can be chosen": async (w) => {
		const page = await open(w, "outer.c", OUTER);

		assert.equal((await flow(page, "program")).function, "outer");
		await page.locator('select[aria-label="function"]').selectOption("copy");
		await w.until(
			"copy",
			async () => (await flow(page, "program")).function === "copy",
		);
		await w.until("its parameter", async () =>
			(
				await page.locator(".flow-slider .mono").allInnerTexts()
			).includes("k"),
		);
	},

	"loop sliders mark the elements of an iteration": async (w) => {
		const page = await open(
			w,
			"outer.c",
			OUTER,
			"view=local&o.flow.local=n=3,m=4",
		);
		const move = async (name, value) => {
			await page
				.locator(`input[aria-label="loop ${name}"]`)
				.fill(String(value));
			await w.until(`${name} = ${value}`, async () =>
				(await local(page, "step")).loops.some(
					(x) => x.name === name && x.value === value,
				),
			);
		};

		await move("i", 1);
		await move("j", 2);
		// figure 3 of the paper: A[1], B[2], C[1, 2]
		assert.deepEqual(
			(await local(page, "step")).accesses.map((a) => [
				a.container,
				a.place,
			]),
			[
				[0, 1],
				[1, 2],
				[2, 6],
			],
		);
		assert.match(await w.svg(page), />i = 0 to n - 1: {2}i = 1</);
		await page.keyboard.press("ArrowRight");
		await w.until(
			"the next step",
			async () =>
				(await local(page, "step")).accesses.at(-1).place === 7,
		);
	},

	"playing goes through the steps to the end": async (w) => {
		const page = await open(
			w,
			"outer.c",
			OUTER,
			"view=local&o.flow.local=n=2,m=2",
		);

		await page.locator('select[aria-label="speed"]').selectOption("64");
		await page.keyboard.press("Space");
		await w.until(
			"the last step",
			async () => (await local(page, "step")).step === 3,
		);
		await w.until("it stops", async () => !(await local(page, "playing")));
	},

	"flattened accesses are counted by element": async (w) => {
		const page = await open(
			w,
			"outer.c",
			OUTER,
			"view=local&o.flow.local=n=3,m=4",
		);

		await page.mouse.move(...(await element(page, 0, [2])));
		await w.until("A[2]", async () =>
			/A\[2\]\n4 accesses/.test(await tip(page)),
		);
		await page.mouse.move(...(await element(page, 1, [3])));
		await w.until("B[3]", async () =>
			/B\[3\]\n3 accesses/.test(await tip(page)),
		);
		const csv = await page.evaluate(() =>
			globalThis.memlamp.mounted.view.exportText("csv"),
		);
		assert.match(csv, /^C,11,1,/m);
	},

	"clicks stack related accesses": async (w) => {
		const page = await open(
			w,
			"outer.c",
			OUTER,
			"view=local&o.flow.local=n=4,m=3",
		);

		// figure 4c: C[3, 0], C[3, 1] and C[3, 2] use A[3] three times and each of B once
		await page.mouse.click(...(await element(page, 2, [3, 0])));
		await page.keyboard.down("Shift");
		await page.mouse.click(...(await element(page, 2, [3, 1])));
		await page.mouse.click(...(await element(page, 2, [3, 2])));
		await page.keyboard.up("Shift");
		const counts = [0, 0, 0, 3, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1];
		await w.until("the counts of three", async () => {
			const r = await page.evaluate(() => [
				...(globalThis.memlamp.flow.local.related.value?.count ??
					[]),
			]);
			return r.join() === counts.join();
		});
		await page.keyboard.press("Escape");
		await w.until(
			"none",
			async () => (await local(page, "chosen")).length === 0,
		);
	},

	"cache lines are those of the true layout": async (w) => {
		const page = await open(
			w,
			"mm.c",
			MATMUL,
			"view=local&o.flow.local=M=9,K=10,N=15&o.flow.heat=none&o.flow.at=1:1",
		);
		/** Indices of the elements of B that are marked. */
		const marked = () =>
			page.evaluate(() => globalThis.memlamp.mounted.view.lineMates(1));
		const list = (n, f) => Array.from({ length: n }, (_, i) => f(i).join());

		// row major, 64 bytes are 16 elements: all of row 0, and B[1, 0]
		assert.deepEqual(
			(await marked()).sort(),
			[...list(15, (j) => [0, j]), "1,0"].sort(),
		);
		await choose(page, { layout: "B=order:1,0", at: "1:10" });
		// column major, B[0, 1]: all of column 0, and B[0..5, 1]
		await w.until("column major", async () =>
			(await marked()).includes("9,0"),
		);
		assert.deepEqual(
			(await marked()).sort(),
			[...list(10, (k) => [k, 0]), ...list(6, (k) => [k, 1])].sort(),
		);
		await choose(page, { line: "32" });
		// element 10 is in the second line of 32 bytes: 8 to 15
		await w.until("32 bytes", async () => (await marked()).length === 8);
	},

	"misses are those of a list in order of use, in any layout and line": async (
		w,
	) => {
		const page = await open(
			w,
			"mm.c",
			MATMUL,
			"view=local&o.flow.local=M=9,K=10,N=15",
		);
		const agree = async (line, capacity, column) => {
			const accesses = matmul(9, 10, 15, column);
			const want = misses(accesses, line, capacity);
			const total = (c) => accesses.filter((a) => a[0] === c).length;
			const text = JSON.stringify(
				Object.fromEntries(
					["A", "B", "C"].map((c) => [
						c,
						[total(c), ...want[c]],
					]),
				),
			);

			await choose(page, {
				line: String(line),
				threshold: String(capacity),
				layout: column ? "B=order:1,0" : null,
			});
			await w.until(
				`${line} bytes, ${capacity} lines: ${text}`,
				async () => JSON.stringify(await table(page)) === text,
			);
		};

		await agree(64, 10, false);
		await agree(64, 10, true);
		await agree(32, 10, false);
		await agree(32, 4, true);
	},

	"layouts are tried in place, beside the original": async (w) => {
		const page = await open(
			w,
			"mm.c",
			MATMUL,
			"view=local&o.flow.local=M=9,K=10,N=15",
		);
		const [row, column] = [false, true].map(
			(c) => misses(matmul(9, 10, 15, c), 64, 10).B[1],
		);
		const b = page.locator('[data-container="B"]');

		await b.getByRole("button", { name: "column" }).click();
		await w.until("both sides", async () => {
			const svg = await w.svg(page);
			return (
				svg.includes(">original<") &&
				svg.includes(">with the changes<")
			);
		});
		await w.until("misses before and after", async () => {
			const cell = await page
				.locator(".flow-containers tbody tr")
				.nth(1)
				.locator("td")
				.nth(3)
				.innerText();
			return (
				cell.replaceAll(",", "").split(/\s+/).join() ===
				`${row},${column}`
			);
		});
		await page.getByText("undo all").click();
		await w.until(
			"the original alone",
			async () => !(await w.svg(page)).includes(">original<"),
		);
	},

	"loops are exchanged and tiled in place, and judged": async (w) => {
		const page = await open(
			w,
			"mm.c",
			MATMUL,
			"view=local&o.flow.local=M=9,K=10,N=15",
		);
		const swapped = [];

		// k outside of j
		for (let i = 0; i < 9; i++)
			for (let k = 0; k < 10; k++)
				for (let j = 0; j < 15; j++)
					swapped.push(
						["A", 4 * (i * 10 + k)],
						["B", 4 * (k * 15 + j)],
						["C", 4 * (i * 15 + j)],
						["C", 4 * (i * 15 + j)],
					);
		const want = misses(swapped, 64, 10);
		await page.getByLabel("exchange loops j and k").click();
		await w.until("the misses of i, k, j", async () => {
			const t = await table(page);
			return ["A", "B", "C"].every(
				(c) => t[c].slice(1).join() === want[c].join(),
			);
		});
		await w.until("the verdict", async () =>
			/Allowed/.test(await page.locator(".flow-side").innerText()),
		);
		await w.quiet(page);
		assert.deepEqual(
			(await local(page, "step")).loops.map((x) => x.name),
			["i", "k", "j"],
		);
		await page.getByLabel("tile of j").fill("4");
		await page.keyboard.press("Enter");
		await w.until("tiles", async () =>
			(await local(page, "step")).loops.some(
				(x) => x.name === "j_tile",
			),
		);
	},

	"a machine with sets has misses by level and conflicts": async (w) => {
		const page = await open(
			w,
			"outer.c",
			OUTER,
			"view=local&o.flow.local=n=3,m=4&o.flow.machine=L1+32+full+32B",
		);

		// one line: A, B and C take it from each other at each of 36 accesses
		await w.until("36 misses", async () =>
			/all\s+36/.test(await page.locator(".flow-machine").innerText()),
		);
	},

	"containers can be drawn as they lie in memory": async (w) => {
		const page = await open(
			w,
			"mm.c",
			MATMUL,
			"view=local&o.flow.local=M=9,K=10,N=15&o.flow.layout=B=order:1,0&o.flow.drawn=stored",
		);
		const shape = await page.evaluate(
			() =>
				globalThis.memlamp.mounted.view.sides
					.at(-1)
					.scene.items.find((i) => i.container === 1).grid
					.shape,
		);

		assert.deepEqual(shape, [15, 10]);
		// the second element of the first row of memory is B[1, 0]
		await page.mouse.move(...(await element(page, 1, [0, 1])));
		await w.until("B[1, 0]", async () => /^B\[1, 0\]/.test(await tip(page)));
	},

	"padding and offsets move elements to other lines": async (w) => {
		const page = await open(
			w,
			"mm.c",
			MATMUL,
			"view=local&o.flow.local=M=9,K=10,N=15",
		);

		// rows of A of 10 floats, padded to 16: each on a line of its own
		await choose(page, { layout: "A=pad:16" });
		await w.until("a line a row", async () => (await table(page)).A[1] === 9);
		await choose(page, { layout: "A=offset:8" });
		// 90 elements behind 8 others are elements 8 to 97: lines 0 to 6
		await w.until("seven lines", async () => (await table(page)).A[1] === 7);
	},

	"distances of an element and of a container have a histogram": async (w) => {
		const page = await open(
			w,
			"outer.c",
			OUTER,
			"view=local&o.flow.local=n=3,m=4&o.flow.line=8&o.flow.at=0:1",
		);
		const side = () => page.locator(".flow-side").innerText();

		// A[1] four times: first cold, then B and C lie between
		await w.until("of the element", async () =>
			/4 accesses, 1 cold/.test(await side()),
		);
		assert.deepEqual((await local(page, "distances")).distances, [[2, 3]]);
		await page.keyboard.press("Escape");
		await w.until("of all", async () =>
			/distances of all containers/i.test(await side()),
		);
	},

	"sizes are suggested by one factor": async (w) => {
		const page = await open(
			w,
			"outer.c",
			OUTER,
			"view=local&o.flow.set=n=256,m=512",
		);

		// n m + n + m elements: at most 1,500 from 1/16 on
		assert.match(
			await page.locator(".flow-side").innerText(),
			/1\/16 of the real ones/,
		);
		assert.deepEqual((await local(page, "local")).values, { n: 16, m: 32 });
	},

	"an .sdfg opens, with the layout that it has": async (w) => {
		const page = await open(
			w,
			join(w.root, "tests/sdfg/matmul_Bcolmajor_dace2.0.0a6.sdfg"),
			null,
			"view=local&o.flow.local=M=9,K=10,N=15",
		);

		assert.match(await w.svg(page), />B\[10\]\[15\] {2}column major</);
		assert.match(await w.svg(page), />A\[9\]\[10\] {2}row major</);
	},

	"a program with a thousand computations opens and unfolds": async (w) => {
		const body = Array.from(
			{ length: 250 },
			(_, k) =>
				`for (int i = 0; i < n; i++) { a[i] = b[i] * ${k}; b[i] = a[i] + c[i];\n` +
				`for (int j = 0; j < i; j++) { c[j] = a[j]; d[i] += c[j]; } }\n`,
		).join("");
		const page = await open(
			w,
			"large.c",
			`void large(int n, double *a, double *b, double *c, double *d) {\n${body}}\n`,
		);
		const items = () =>
			page.evaluate(() => {
				let n = 0;
				const go = (f) =>
					f.items.forEach((i) => {
						n += i.kind === "work";
						if (i.inner) go(i.inner);
					});
				go(globalThis.memlamp.flow.frame.value);
				return n;
			});

		assert.ok((await items()) < 1000);
		await page.keyboard.press("e");
		await w.until("all computations", async () => (await items()) === 1000);
	},
};
