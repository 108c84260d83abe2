// Playing and stepping, on traces that are simulated by hand and on recorded ones.
import assert from "node:assert/strict";
import { EVENTS, events, hand, set, timelineSvg } from "./drawn.mjs";

const matmul = (w) => w.example("matmul.c", "16");
/** Where the matrices are multiplied: some 8,400 references. */
const multiply = (w) => w.phase(matmul(w), "multiply").from;

/** What is known of the moment: words, both pictures. */
async function state(w, page) {
	await page.mouse.move(640, 10);
	const at = await w.value(page, "cursor");
	await page
		.locator(".section h3", { hasText: at.toLocaleString("en-US") })
		.waitFor();
	await w.quiet(page);
	return [
		await page.locator(".caption").textContent(),
		await timelineSvg(page),
		await w.svg(page),
	];
}

/*
 * Plays until it stops, in a time that belongs to the test; each moment that the cursor goes
 * through, and when (ms).
 */
async function played(w, page, speed) {
	await w.holdTime(page);
	await page.evaluate((s) => {
		globalThis.memlamp.trace.speed.value = s;
		globalThis.seen = [];
		globalThis.forget?.();
		globalThis.forget = globalThis.memlamp.trace.cursor.subscribe((c) =>
			globalThis.seen.push([c, performance.now()]),
		);
	}, speed);
	await page.keyboard.press("Space");
	await w.until("playing has ended", async () => !(await w.value(page, "playing")));
	return page.evaluate(() => globalThis.seen);
}

export const tests = {
	"steps by first touch visit the first reference of each line": async (w) => {
		const page = await w.page(await events(w));
		const seen = new Set();
		const firsts = [];

		// Lines of 64 bytes, from the text above: 8 of r0x1000+64*8, 5 of w0x8000+8*40.
		w.refs(w.text("events", EVENTS))
			.filter((r) => r.kind)
			.forEach((r, i) => {
				const line = Math.floor(Number(r.address) / 64);
				if (!seen.has(line)) firsts.push(i);
				seen.add(line);
			});
		assert.equal(firsts.length, 13);
		for (const at of firsts.slice(1)) {
			await page.keyboard.press("f");
			await w.until(
				`it is at ${at}`,
				async () => (await w.value(page, "cursor")) === at,
			);
		}
		await page.keyboard.press("Shift+f");
		await w.until(
			"it is back",
			async () => (await w.value(page, "cursor")) === firsts.at(-2),
		);
	},

	"a step that leaves the window takes it along": async (w) => {
		const page = await w.page(await w.serve(matmul(w)));

		await set(page, 1019, { from: 1000, to: 1020 });
		await page.keyboard.press("ArrowRight");
		await w.until(
			"the window moved",
			async () => (await w.value(page, "chosenWindow")).from > 1000,
		);
		const { from, to } = await w.value(page, "chosenWindow");
		assert.equal(to - from, 20);
		assert.ok(from <= 1020 && to > 1020);
	},

	"a step back of any kind returns to the identical state": async (w) => {
		const from = multiply(w);
		const page = await w.page(await w.serve(matmul(w)), {
			hash: `#view=eventmap&window=${from}-${from + 2000}`,
		});

		await page.evaluate(
			() =>
				(globalThis.memlamp.trace.selection.value = {
					kind: "write",
				}),
		);
		for (const by of [
			"reference",
			"line",
			"miss",
			"first",
			"region",
			"selection",
		]) {
			await set(page, from + 500);
			await page.evaluate(
				(b) => (globalThis.memlamp.trace.playBy.value = b),
				by,
			);
			await page.getByLabel("one step", { exact: true }).click();
			await w.until(
				"it stepped",
				async () => (await w.value(page, "cursor")) > from + 500,
			);
			const start = await w.value(page, "cursor");
			const before = await state(w, page);
			await page.getByLabel("one step", { exact: true }).click();
			await w.until(
				"it stepped on",
				async () => (await w.value(page, "cursor")) > start,
			);
			await page.getByLabel("one step back", { exact: true }).click();
			await w.until(
				`it is back by ${by}`,
				async () => (await w.value(page, "cursor")) === start,
			);
			assert.deepEqual(await state(w, page), before, by);
		}
	},

	"playing misses only stops at nothing else": async (w) => {
		const page = await w.page(await hand(w));

		await page.getByLabel("play by").selectOption("only miss");
		const seen = await played(w, page, 20);
		assert.deepEqual(
			seen.map(([c]) => c),
			[0, 1, 3, 5],
		);
	},

	"playing on until the next miss stops there": async (w) => {
		const page = await w.page(await hand(w));

		await set(page, 1);
		await page.getByLabel("play by").selectOption("stop miss");
		await played(w, page, 50);
		assert.equal(await w.value(page, "cursor"), 3);
		await played(w, page, 50);
		assert.equal(await w.value(page, "cursor"), 5);
	},

	"everything is played, with a rest at each miss": async (w) => {
		const page = await w.page(await hand(w));

		await page.getByLabel("play by").selectOption("rest miss");
		const seen = await played(w, page, 50);
		const stay = (at) => {
			const i = seen.findIndex(([c]) => c === at);
			return seen[i + 1][1] - seen[i][1];
		};
		// A frame is 16 ms, a reference 20 ms.
		assert.deepEqual(
			seen.map(([c]) => c),
			[0, 1, 2, 3, 4, 5],
		);
		assert.ok(stay(1) > 500 && stay(3) > 500, "it rests at misses");
		assert.ok(stay(2) < 50 && stay(4) < 50, "it does not rest at hits");
	},

	"steps by phase go to its beginning and its end": async (w) => {
		const page = await w.page(await events(w));
		const at = (t) =>
			w.until(
				`it is at ${t}`,
				async () => (await w.value(page, "cursor")) === t,
			);

		// one: 0 to 16, then two until the end of the run, which is no reference.
		await page.keyboard.press("Control+ArrowRight");
		await at(16);
		await page.keyboard.press("Control+ArrowRight");
		await page.getByText("There is no phase after this.").waitFor();
		await page.keyboard.press("Control+ArrowLeft");
		await at(0);
	},

	"a window is played round and round": async (w) => {
		const page = await w.page(await w.serve(matmul(w)));

		await set(page, 1000, { from: 1000, to: 1100 });
		await page.keyboard.press("l");
		await page.evaluate(() => {
			globalThis.memlamp.trace.speed.value = 500;
			globalThis.seen = [];
			globalThis.memlamp.trace.cursor.subscribe((c) =>
				globalThis.seen.push(c),
			);
		});
		await page.keyboard.press("Space");
		await w.until("it went round", () =>
			page.evaluate(() =>
				globalThis.seen.some(
					(c, i) => c < (globalThis.seen[i - 1] ?? 0),
				),
			),
		);
		await page.keyboard.press("Space");
		const seen = await page.evaluate(() => globalThis.seen);
		assert.ok(seen.every((c) => c >= 1000 && c < 1100));
	},

	"the address restores what is played": async (w) => {
		const page = await w.page(await hand(w));

		await page.getByLabel("play by").selectOption("stop region");
		await w.until("the address has it", () =>
			page.url().includes("by=region"),
		);
		const { hash } = new URL(page.url());
		const other = await w.page(await hand(w), { hash });
		assert.equal(
			await other.getByLabel("play by").inputValue(),
			"stop region",
		);
	},

	"the slider goes from one reference a second to millions": async (w) => {
		const page = await w.page(await hand(w));
		const slider = page.getByLabel("speed", { exact: true });

		await slider.focus();
		await page.keyboard.press("Home");
		assert.equal(await w.value(page, "speed"), 1);
		await slider.focus();
		await page.keyboard.press("End");
		assert.equal(await w.value(page, "speed"), 1e7);
		await page.getByLabel("speeds").selectOption("1000");
		assert.equal(await w.value(page, "speed"), 1000);
	},
};
