// Motion, legends, movies and dialogs: what a person does with hands, and what answers.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { set } from "./drawn.mjs";
import { PATIENCE, SMALL } from "./world.mjs";

const matmul = (w) => w.example("matmul.c", "16");
/** Where the matrices are multiplied: some 8,400 references. */
const multiply = (w) => w.phase(matmul(w), "multiply").from;
const FIFO = SMALL.replace("lru", "fifo");

async function open(w, hash, options = {}) {
	return w.page(await w.serve(matmul(w)), { hash, ...options });
}

function show(page, view) {
	return page.evaluate((v) => void (globalThis.memlamp.store.view.value = v), view);
}

/** A miss at every eighth reference: 0, 8, 16, ... of 512. */
const strides = async (w) => w.serve(w.text("strides", "r0x1000+8*512\n"));

/** Makes a step with a key and returns whether lines flew before they came to rest at `to`. */
async function flies(w, page, key, to) {
	let flew = false;

	await page.keyboard.press(key);
	await w.until(`the view rests at ${to}`, async () => {
		const [shown, flying] = await page.evaluate(() => {
			const { view } = globalThis.memlamp.mounted;
			return [view.still()?.shown, view.flying()];
		});
		flew ||= flying;
		return shown === to;
	});
	return flew;
}

/** Starts to play with a key; the moments that the cursor goes through until playing ends. */
async function played(w, page, key) {
	await w.holdTime(page);
	await page.evaluate(() => {
		globalThis.seen = [];
		globalThis.memlamp.trace.cursor.subscribe((c) => globalThis.seen.push(c));
	});
	await page.keyboard.press(key);
	await w.until("playing has ended", async () => !(await w.value(page, "playing")));
	return page.evaluate(() => globalThis.seen);
}

export const tests = {
	"steps to the next miss fly, and steps back fly back": async (w) => {
		const page = await w.page(await strides(w), {
			hash: "#view=rings&at=100",
		});

		await w.holdTime(page);
		await w.until("the view rests", () =>
			page.evaluate(
				() =>
					globalThis.memlamp.mounted.view.still()?.shown ===
					100,
			),
		);
		assert.ok(await flies(w, page, "n", 104), "to the next miss");
		assert.ok(await flies(w, page, "n", 112), "and to the one behind");
		assert.ok(await flies(w, page, "p", 104), "and back");
		await page.emulateMedia({ reducedMotion: "reduce" });
		assert.ok(!(await flies(w, page, "n", 112)), "not with reduced motion");
	},

	"playing goes backwards to the beginning of the window": async (w) => {
		const page = await w.page(await strides(w), {
			hash: "#view=eventmap&at=160&window=100-200&speed=100",
		});
		const seen = await played(w, page, "Shift+Space");

		assert.deepEqual(
			seen,
			[...seen].sort((a, b) => b - a),
		);
		assert.equal(seen[0], 160);
		assert.equal(seen.at(-1), 100);
		assert.ok(seen.length > 30, "two references a frame at most");
		// Backwards from the beginning is from the end.
		await page.keyboard.press("Shift+Space");
		assert.equal(await w.value(page, "cursor"), 199);
		assert.equal(await w.value(page, "playing"), true);
		await page.keyboard.press("Space");
		assert.equal(await w.value(page, "playing"), false);
	},

	"backwards, misses only are played too": async (w) => {
		const page = await w.page(await strides(w), {
			hash: "#view=eventmap&at=140&by=miss&window=100-200&speed=10",
		});

		assert.deepEqual(
			await played(w, page, "Shift+Space"),
			[140, 136, 128, 120, 112, 104],
		);
	},

	"the speed follows the window until somebody chooses one": async (w) => {
		const page = await open(w, "");
		const speed = () => w.value(page, "speed");

		const from = multiply(w);

		await set(page, from, { from, to: from + 600 });
		assert.equal(await speed(), 20); // 600 in thirty seconds
		assert.ok(!page.url().includes("speed="));
		await page.getByLabel("speeds").selectOption("100");
		await set(page, from, { from, to: from + 60 });
		assert.equal(await speed(), 100);
		await w.until("the address has it", () =>
			page.url().includes("speed=100"),
		);
		await page.getByLabel("speeds").selectOption("as the window");
		assert.equal(await speed(), 2);
	},

	"every view that plays makes movies, which are not named as stills": async (
		w,
	) => {
		const from = multiply(w);
		const page = await open(w, `#window=${from}-${from + 8}`);

		for (const view of ["regions", "cache", "eventmap", "plane", "space"]) {
			await show(page, view);
			await page
				.getByLabel("save", { exact: true })
				.selectOption("Movie…");
			await page.getByLabel("frames", { exact: true }).fill("2");
			const [saved] = await Promise.all([
				page.waitForEvent("download", { timeout: 3 * PATIENCE }),
				page
					.getByRole("button", {
						name: "Make",
						exact: true,
					})
					.click(),
			]);
			assert.equal(
				saved.suggestedFilename(),
				`matmul.c-16-${view}-movie.png`,
			);
			const png = readFileSync(await saved.path());
			assert.equal(png.readUInt32BE(png.indexOf("acTL") + 4), 2, view); // frames
		}
	},

	"temperature and the bar of the address space have legends": async (w) => {
		const page = await open(w, `#at=${multiply(w)}`);

		for (const [view, words] of [
			["rings", /glow: cold/],
			["regions", /temperature [−+][\d.]+/],
			["space", /bar: few[^]*many references of the run/],
		]) {
			await show(page, view);
			await w.until(`${view} has its legend`, async () =>
				words.test(await w.svg(page)),
			);
		}
	},

	"the dialog of a comparison compares, and chips tell two machines apart": async (
		w,
	) => {
		const page = await open(w, "");

		await page.getByRole("button", { name: "compare", exact: true }).click();
		await page.getByLabel("machine text").fill(FIFO);
		const main = page.locator(".dialog footer .primary");
		assert.equal(await main.textContent(), "Compare");
		await main.click();
		await page.locator(".machine-chip", { hasText: "L1 fifo" }).waitFor();
		assert.deepEqual(
			await page
				.locator(".machine-letter, .machine-text")
				.allTextContents(),
			["A", "L1 lru", "B", "L1 fifo"],
		);
	},

	"another open trace is offered first": async (w) => {
		const page = await w.page(
			await w.serve([matmul(w), w.example("stride.c")]),
		);

		await page.getByRole("button", { name: "compare", exact: true }).click();
		await page
			.locator(".other-traces")
			.getByRole("button", { name: "stride.c.mlt" })
			.click();
		await w.until(
			"the second trace is compared",
			async () => (await w.value(page, "compared"))?.trace === 1,
		);
		await w.quiet(page);
		assert.equal(await page.getByRole("dialog").count(), 0);
		assert.deepEqual(await page.locator(".machine-text").allTextContents(), [
			"matmul.c-16.mlt",
			"stride.c.mlt",
		]);
	},

	"Time follows a line that is selected, and what it did stands out": async (w) => {
		const page = await open(w, "#view=plane");
		const shown = () =>
			page.evaluate(
				() =>
					globalThis.memlamp.mounted.view.answer.value
						?.region,
			);
		const { regions } = await page.evaluate(async () =>
			(
				await fetch("/api/traces/0/regions", {
					headers: {
						"X-Memlamp-Token":
							sessionStorage.getItem(
								"memlamp.token",
							),
					},
				})
			).json(),
		);
		const number = (name) => regions.find((r) => r.name === name).region;

		await w.until(
			"something is shown",
			async () => (await shown()) !== undefined,
		);
		await page.locator('.line[data-line="34"]').click(); // C[i * n + j] = sum
		await w.until("C is shown", async () => (await shown()) === number("C"));
		const chosen = await w.until("its references are known", () =>
			page.evaluate(() => {
				const v = globalThis.memlamp.mounted.view;
				const [a, c] = [v.answer.value, v.chosen.value];
				const sum = (x) => x.reduce((n, k) => n + k, 0);
				return (
					c?.region === a?.region &&
					c && [sum(c.writes), sum(c.reads), sum(a.writes)]
				);
			}),
		);
		// 16 x 16 elements are written once by this line
		assert.deepEqual(chosen.slice(0, 2), [256, 0]);
		assert.ok(chosen[2] >= 256);
	},

	"at 1280 no tab is hidden without a sign and no bar is cut": async (w) => {
		const page = await open(w, `#second=${encodeURIComponent(FIFO)}`, {
			size: { width: 1280, height: 800 },
		});
		const cut = () =>
			page.evaluate(() =>
				[
					...document.querySelectorAll(
						".view-bar, .tab-row, .playback, .topbar",
					),
				]
					.filter((e) => e.scrollWidth > e.clientWidth + 1)
					.map((e) => e.className),
			);

		await page.locator(".machine-chip").nth(1).waitFor();
		const hidden = await page.locator("[role=tab].left-out").count();
		const more = page.getByLabel("more views");
		assert.equal(await more.count(), hidden ? 1 : 0);
		if (hidden)
			assert.equal(
				await more.locator("option").first().textContent(),
				`${hidden} more`,
			);
		for (const view of [
			"overview",
			"regions",
			"cache",
			"rings",
			"plane",
			"cycles",
		]) {
			await page.evaluate(
				(v) => (globalThis.memlamp.store.view.value = v),
				view,
			);
			await w.until("it is shown", () =>
				page.evaluate(() => !!globalThis.memlamp.mounted.view),
			);
			assert.deepEqual(await cut(), [], view);
		}
	},
};
