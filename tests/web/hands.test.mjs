// Motion, legends, movies and dialogs: what a person does with hands, and what answers.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { set } from "./drawn.mjs";
import { SMALL } from "./world.mjs";

const matmul = (w) => w.example("matmul.c", "16");
const FIFO = SMALL.replace("lru", "fifo");

async function open(w, hash, options = {}) {
	return w.page(await w.serve(matmul(w)), { hash, ...options });
}

function show(page, view) {
	return page.evaluate((v) => void (globalThis.memlamp.store.view.value = v), view);
}

/** Makes a step with a key and returns whether lines flew before they came to rest. */
async function flies(w, page, key) {
	await page.evaluate(() => {
		globalThis.flew = false;
		const canvas = document.querySelector(".stage canvas");
		new MutationObserver(
			() => (globalThis.flew ||= canvas.dataset.moving === "yes"),
		).observe(canvas, { attributes: true });
	});
	const before = await w.value(page, "cursor");
	await page.keyboard.press(key);
	const at = await w.until("the cursor moved", async () => {
		const now = await w.value(page, "cursor");
		return now !== before && now;
	});
	await w.until("the view rests there", () =>
		page.evaluate(
			(t) => globalThis.memlamp.mounted.view.still()?.shown === t,
			at,
		),
	);
	return page.evaluate(() => globalThis.flew);
}

export const tests = {
	"steps to the next miss fly, and steps back fly back": async (w) => {
		const page = await open(w, "#view=rings&at=44000");

		await w.until("the view rests", () =>
			page.evaluate(
				() =>
					globalThis.memlamp.mounted.view.still()?.shown ===
					44000,
			),
		);
		assert.ok(await flies(w, page, "n"), "to the next miss");
		assert.ok((await w.value(page, "cursor")) > 44001, "it is a far step");
		assert.ok(await flies(w, page, "n"), "and to the one behind");
		assert.ok(await flies(w, page, "p"), "and back");
		await page.emulateMedia({ reducedMotion: "reduce" });
		assert.ok(!(await flies(w, page, "n")), "not with reduced motion");
	},

	"playing goes backwards to the beginning of the window": async (w) => {
		const page = await open(w, "#view=eventmap&at=44060&window=44000-44100");

		await page.evaluate(() => globalThis.memlamp.trace.setSpeed(100));
		await page.getByLabel("play backwards").click();
		const seen = [];
		await w.until("it is at the beginning", async () => {
			seen.push(await w.value(page, "cursor"));
			return seen.at(-1) === 44000 && !(await w.value(page, "playing"));
		});
		assert.deepEqual(
			seen,
			[...seen].sort((a, b) => b - a),
		);
		assert.ok(new Set(seen).size > 2);
		// Backwards from the beginning is from the end.
		await page.keyboard.press("Shift+Space");
		await w.until(
			"it plays from the end",
			async () => (await w.value(page, "cursor")) > 44080,
		);
		await page.keyboard.press("Space");
		assert.equal(await w.value(page, "playing"), false);
	},

	"backwards, misses only are played too": async (w) => {
		const page = await open(
			w,
			"#view=eventmap&at=44400&by=miss&window=44000-44500",
		);
		const misses = [];

		for (let at = 44400; ; ) {
			at = await page.evaluate(
				async (t) =>
					(
						await (
							await fetch(
								`/api/sims/0/step?at=${t}&by=miss&dir=-1`,
								{
									headers: {
										"X-Memlamp-Token":
											sessionStorage.getItem(
												"memlamp.token",
											),
									},
								},
							)
						).json()
					).at,
				at,
			);
			if (at === null || at < 44000) break;
			misses.push(at);
		}
		assert.ok(misses.length > 1);
		await page.evaluate(() => globalThis.memlamp.trace.setSpeed(10));
		await page.keyboard.press("Shift+Space");
		const seen = new Set();
		await w.until("it has ended", async () => {
			seen.add(await w.value(page, "cursor"));
			return !(await w.value(page, "playing"));
		});
		seen.delete(44400);
		for (const t of seen) assert.ok(misses.includes(t), `${t} is a miss`);
	},

	"the speed follows the window until somebody chooses one": async (w) => {
		const page = await open(w, "");
		const speed = () => w.value(page, "speed");

		await set(page, 44000, { from: 44000, to: 44600 });
		assert.equal(await speed(), 20); // 600 in thirty seconds
		assert.ok(!page.url().includes("speed="));
		await page.getByLabel("speeds").selectOption("100");
		await set(page, 44000, { from: 44000, to: 44060 });
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
		const page = await open(w, "#window=44000-44008");

		for (const view of ["regions", "cache", "eventmap", "plane", "space"]) {
			await show(page, view);
			await page
				.getByLabel("save", { exact: true })
				.selectOption("Movie…");
			await page.getByLabel("frames", { exact: true }).fill("2");
			const [saved] = await Promise.all([
				page.waitForEvent("download", { timeout: 30000 }),
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
		const page = await open(w, "#at=44000");

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
