// Nothing old stands under a new label: the answers of the server are held back, the labels
// change, and the picture is greyed or empty until the answer is there.
import assert from "node:assert/strict";
import { join } from "node:path";

const matmul = (w) => w.example("matmul.c", "16");
/** Where the matrices are multiplied: some 8,400 references. */
const multiply = (w) => w.phase(matmul(w), "multiply").from;
const FIFO = "L1 1K 4w 64B fifo wb wa 4c | memory 200c";

/** Two traces without milestones on two machines, and with marks. */
function ensemble(w) {
	if (!w.traces.has("fresh.mle")) {
		const traces = [
			w.text("fresh1", "mark a\nr0+64*64\nmark b\nr0+64*64\n"),
			w.text("fresh2", "mark a\nr0+64*9\nmark b\nr0+64*99\n"),
		];
		w.memlamp(
			"ensemble",
			"--match",
			"marks",
			"-m",
			"L1 {512,4K} full 64B lru 4c | memory 100c",
			"-o",
			"fresh.mle",
			...traces,
		);
		w.traces.set("fresh.mle", join(w.scratch, "fresh.mle"));
	}
	return w.traces.get("fresh.mle");
}

/** Holds the answers of routes until the returned function is called. */
async function hold(page, pattern) {
	let go;
	const gone = new Promise((r) => (go = r));

	await page.route(pattern, async (route) => {
		await gone;
		await route.continue().catch(() => {}); // the page may ask no longer
	});
	return go;
}

const greyed = (page) => page.locator(".stage canvas.is-old").count();

/** Holds `route`, changes something, and sees the picture grey until the answer comes. */
async function greys(w, page, route, change, what) {
	await w.until(`${what}: nothing is old`, async () => !(await greyed(page)));
	const go = await hold(page, route);
	await change();
	await w.until(`${what}: it is greyed`, () => greyed(page));
	go();
	await w.until(`${what}: it is new`, async () => !(await greyed(page)));
	await page.unroute(route);
}

const jump = (page, at) => () =>
	page.evaluate((t) => globalThis.memlamp.trace.setCursor(t), at);
const zoom = (page, from, to) => () =>
	page.evaluate((window) => globalThis.memlamp.trace.setWindow(window), {
		from,
		to,
	});
const option = (page, key, value) => () =>
	page.evaluate(
		([k, v]) =>
			(globalThis.memlamp.store.options.value = {
				...globalThis.memlamp.store.options.value,
				[k]: v,
			}),
		[key, value],
	);

/** View, what is held back, and the change that asks for it; t: where a phase begins. */
const VIEWS = [
	["overview", "**/select?*", (p, t) => zoom(p, t, t + 1000)],
	["regions", /\/(state|moves)\?/, (p, t) => jump(p, t + 7000)],
	["regions", "**/refs?*", (p, t) => jump(p, t - 5000)],
	["cache", /\/(state|moves)\?/, (p, t) => jump(p, t + 7000)],
	["rings", /\/(state|moves)\?/, (p, t) => jump(p, t + 7000)],
	["ringsDiff", /\/(state|moves)\?/, (p, t) => jump(p, t + 7000)],
	["eventmap", "**/map?*", (p, t) => zoom(p, t + 1000, t + 5000)],
	["plane", "**/plane?*", (p, t) => zoom(p, t + 1000, t + 5000)],
	["cycles", "**/cycles?*", (p) => option(p, "cycles.window", "20")],
];

const MOMENTS = ["regions", "cache", "rings", "ringsDiff"];

export const tests = {
	"the picture of each view is greyed until the answer to its labels is there":
		async (w) => {
			const from = multiply(w);
			const page = await w.page(await w.serve(matmul(w)), {
				hash: `#at=${from + 500}&second=${encodeURIComponent(FIFO)}`,
			});

			await w.until("the second machine is simulated", () =>
				page.evaluate(
					() =>
						globalThis.memlamp.trace.compared.value
							?.state === "ready",
				),
			);
			for (const [view, route, change] of VIEWS) {
				await page.evaluate(
					([v, at]) => {
						const { store, trace, mounted } =
							globalThis.memlamp;
						globalThis.left =
							store.view.value === v
								? null
								: mounted.view;
						trace.setWindow(null);
						trace.setCursor(at);
						store.view.value = v;
					},
					[view, from + 500],
				);
				await w.until(`${view} is drawn`, () =>
					page.evaluate(
						([moment, at]) => {
							const { mounted } =
								globalThis.memlamp;
							return (
								mounted.view &&
								mounted.view !==
									globalThis.left &&
								(!moment ||
									mounted.view.still()
										?.shown ===
										at)
							);
						},
						[MOMENTS.includes(view), from + 500],
					),
				);
				await greys(w, page, route, change(page, from), view);
			}
		},

	"what moves is not greyed, what stands still for 300 ms is": async (w) => {
		const from = multiply(w) + 500;
		const page = await w.page(await w.serve(matmul(w)), {
			hash: `#view=regions&at=${from}`,
		});
		let open = 0;

		page.on("request", () => open++);
		page.on("requestfinished", () => open--);
		page.on("requestfailed", () => open--);
		await w.holdTime(page);
		const shown = () =>
			page.evaluate(() =>
				Number(
					globalThis.memlamp.mounted.view.canvas.dataset
						.shown,
				),
			);
		// a cursor that is dragged, with answers a tenth of a second behind it
		for (let i = 1; i <= 12; i++) {
			await jump(page, from + 300 * i)();
			await page.clock.runFor(100);
			assert.equal(await greyed(page), 0, `step ${i}`);
			await w.until("the answers are there", () => !open);
			await page.clock.runFor(32);
			assert.equal(await shown(), from + 300 * i);
		}
		// answers that do not come
		const go = await hold(page, /\/(state|moves|refs)\?/);
		await jump(page, from + 60_000)();
		await page.clock.runFor(250);
		assert.equal(await greyed(page), 0);
		await page.clock.runFor(100);
		assert.ok(await greyed(page));
		go();
	},

	"a heat map of another kind is empty until its numbers are there": async (w) => {
		const page = await w.page(await w.serve(matmul(w)), {
			hash: "#view=regions&o.regions.mode=count",
		});
		const heat = () =>
			page.evaluate(() => {
				const v = globalThis.memlamp.mounted.view;
				return [
					v.heat.answers.value?.of.size ?? 0,
					v.heat.legend().scale.high,
				];
			});

		await w.until("there is a heat map", async () => (await heat())[0]);
		const go = await hold(page, "**/cells?*");
		await option(page, "regions.mode", "reuse")();
		await w.until(
			"the numbers of accesses are gone",
			async () => !(await heat())[0],
		);
		assert.equal((await heat())[1], 0);
		go();
		await w.until("times to reuse are there", async () => (await heat())[0]);
	},

	"details are greyed until they are those of the selection": async (w) => {
		const page = await w.page(await w.serve(matmul(w)), {
			hash: `#at=${multiply(w) + 500}&second=${encodeURIComponent(FIFO)}`,
		});
		const section = (name) =>
			page.locator(".section", {
				has: page.getByRole("heading", { name }),
			});
		const old = (name) => section(name).locator("> .old").count();

		await w.until("both machines are counted", () =>
			section(/^Compared/)
				.getByText("cycles", { exact: true })
				.count(),
		);
		await page.evaluate(() => {
			const { regions, select } = globalThis.memlamp.trace;
			const { region } = regions.value.find((r) => r.name === "A");
			select({ region, offset: [0, 8] });
		});
		await section(/^History/).waitFor();
		for (const [name, route] of [
			[/^Levels/, "**/select?*"],
			[/^History/, "**/datum?*"],
			[/^Compared/, "**/select?*"],
		]) {
			await w.until(`${name} is new`, async () => !(await old(name)));
			const go = await hold(page, route);
			await page.evaluate(() => {
				const { trace } = globalThis.memlamp;
				const { region, offset } = trace.selection.value;
				trace.select({
					region,
					offset: [offset[1], offset[1] + 8],
				});
			});
			await w.until(`${name} is greyed`, () => old(name));
			go();
			await w.until(`${name} is new`, async () => !(await old(name)));
			await page.unroute(route);
		}
	},

	"an ensemble is greyed until its curves are those of the choices": async (w) => {
		const page = await w.page(await w.serve(ensemble(w)), { wait: false });
		const ranked = () =>
			page
				.locator(".section", {
					has: page.getByRole("heading", {
						name: "Ranking",
					}),
				})
				.locator("> .old")
				.count();

		await w.until("there are curves", () =>
			page.evaluate(() => !!globalThis.memlamp?.ensemble.figure.value),
		);
		for (const [key, value] of [
			["ensemble.time", "normalised"],
			["ensemble.volume", "on"],
			["ensemble.measure", "miss"],
			["ensemble.plot", "spread"],
		])
			await greys(
				w,
				page,
				"**/figure?*",
				option(page, key, value),
				`${key} ${value}`,
			);
		const go = await hold(page, "**/table?*");
		await option(page, "ensemble.measure", "time")();
		await w.until("the ranking is greyed", ranked);
		go();
		await w.until("the ranking is new", async () => !(await ranked()));
	},
};
