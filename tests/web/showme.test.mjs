// 'Show me' of findings and the tour: captions about what the server says of the same
// references, in the view that shows them, and all ways to leave them.
import assert from "node:assert/strict";
import { SMALL, columns } from "./world.mjs";

const padding = (w) => w.example("find_padding.c");
const strided = (w) =>
	w.program(
		"down",
		`double m[64][64];
		int main(void)
		{
			double sum = 0;

			for (int j = 0; j < 64; j++)
				for (int i = 0; i < 64; i++)
					sum += m[i][j];
			return sum == 1;
		}`,
	);
const L1_OF_64_SETS = "L1 32K 8w 64B lru wb wa 4c | L2 1M 8w 64B 14c | memory 200c";

async function open(w, trace, machine, options = {}) {
	const page = await w.page(await w.serve(trace, { machine }), {
		own: true,
		size: { width: 1280, height: 800 },
		...options,
	});

	await page.getByRole("heading", { name: "Findings" }).waitFor();
	return page;
}

const card = (page) => page.locator(".caption-card");
const words = (page) => card(page).locator("p:not(.unread)").textContent();
const next = (page) => page.keyboard.press("ArrowRight");

async function showMe(w, page) {
	await page
		.getByRole("button", { name: /^show me/ })
		.first()
		.click();
	await card(page).waitFor();
}

/** Asks a route whose answer is JSON. */
function json(page, route) {
	return page.evaluate(
		async (r) =>
			(
				await fetch(`/api/${r}`, {
					headers: {
						"X-Memlamp-Token":
							sessionStorage.getItem(
								"memlamp.token",
							),
					},
				})
			).json(),
		route,
	);
}

/** The top finding, and the first two of its references that `found` accepts. */
async function missesOf(page, found) {
	const top = (await json(page, "sims/0/findings")).findings.find((f) => f.file);
	const { regions } = await json(page, "traces/0/regions");
	const { region: number } = regions.find((r) => r.name === top.region);
	const out = [];

	for (let from = 0; out.length < 2; from += 65536) {
		const { header, region, site } = await columns(
			page,
			`sims/0/refs?from=${from}&count=65536`,
			["region", "site"],
		);
		for (let i = 0; i < region.length && out.length < 2; i++) {
			if (
				region[i] !== number ||
				header.sites[site[i]].line !== top.line
			)
				continue;
			const at = await json(page, `sims/0/at?time=${from + i}`);
			if (found(at)) out.push(at);
		}
	}
	return [top, out];
}

export const tests = {
	"no caption loses a line, and all leave the picture the same room": async (w) => {
		const page = await open(w, strided(w), SMALL);
		const heights = new Set();

		await showMe(w, page);
		for (let i = 0, n = Infinity; i < n; i++) {
			const [of, fits, height] = await card(page).evaluate((c) => {
				const p = c
					.querySelector("p:not(.unread)")
					.getBoundingClientRect();
				const box = c.getBoundingClientRect();
				return [
					c.querySelectorAll("p").length,
					p.bottom <= box.bottom &&
						c.scrollHeight <= c.clientHeight,
					Math.round(box.height),
				];
			});
			n = of;
			assert.ok(fits, `caption ${i + 1}: ${await words(page)}`);
			heights.add(height);
			await next(page);
		}
		assert.match(await words(page), /It could save .* %/);
		assert.equal(heights.size, 1);
	},

	"a stride is shown in Regions, miss by miss, with the distance between them":
		async (w) => {
			const page = await open(w, strided(w), SMALL);
			const [top, [one, two]] = await missesOf(
				page,
				(at) => at.served > 1,
			);

			assert.equal(top.kind, "stride");
			await showMe(w, page);
			assert.equal(await w.value(page, "view"), "regions");
			assert.match(await words(page), /Watch m: a cell lights up/);
			await next(page);
			await w.until(
				"the cursor is at the first miss",
				async () => (await w.value(page, "cursor")) === one.time,
			);
			await next(page);
			await w.until(
				"the cursor is at the second one",
				async () => (await w.value(page, "cursor")) === two.time,
			);
			const text = await words(page);
			assert.ok(text.includes(two.datum), text);
			// rows have 64 doubles
			assert.ok(text.includes(`512 bytes behind ${one.datum}`), text);
			await page.keyboard.press("ArrowLeft");
			await w.until(
				"the cursor is at the first one again",
				async () => (await w.value(page, "cursor")) === one.time,
			);
		},

	"rows in one set are shown in Rings, with the line that has to leave": async (
		w,
	) => {
		const page = await open(w, padding(w), L1_OF_64_SETS);
		const [top, [one]] = await missesOf(
			page,
			(at) => at.causes[0] === "conflict",
		);

		assert.equal(top.kind, "padding");
		await showMe(w, page);
		assert.equal(await w.value(page, "view"), "rings");
		await next(page);
		await w.until(
			"the cursor is at the first conflict",
			async () => (await w.value(page, "cursor")) === one.time,
		);
		const text = await words(page);
		// rows of 4096 bytes from the start of a page: column 0 of all rows is set 0
		assert.match(text, /set 0, which is full/);
		assert.ok(text.includes(`the line of ${one.evicted}`), text);
		for (let i = 0; i < 5; i++) await next(page);
		assert.ok((await words(page)).includes(top.advice), await words(page));
	},

	"a talk goes on by itself, pauses, and gives the page back": async (w) => {
		const page = await open(w, strided(w), SMALL, {
			hash: "#o.regions.mode=count",
		});

		await w.holdTime(page);
		await showMe(w, page);
		assert.equal(
			await page.evaluate(
				() =>
					globalThis.memlamp.store.options.value[
						"regions.mode"
					],
			),
			"trail",
		);
		const first = await words(page);
		await page.clock.runFor(1000);
		await page.keyboard.press("Space");
		await page.clock.runFor(60000);
		assert.equal(await words(page), first);
		await page.keyboard.press("Space");
		await page.clock.runFor(20000);
		await w.until("it went on", async () => (await words(page)) !== first);
		assert.equal(await w.value(page, "playing"), false);
		await page.keyboard.press("Escape");
		await w.until("it is closed", async () => !(await card(page).count()));
		assert.equal(
			await page.evaluate(
				() =>
					globalThis.memlamp.store.options.value[
						"regions.mode"
					],
			),
			"count",
		);
		assert.equal(await w.value(page, "slowness"), 1);
	},

	"with reduced motion a talk waits for the person": async (w) => {
		const page = await open(w, strided(w), SMALL);

		await page.emulateMedia({ reducedMotion: "reduce" });
		await w.holdTime(page);
		await showMe(w, page);
		const first = await words(page);
		await page.clock.runFor(60000);
		assert.equal(await words(page), first);
		await card(page).getByTitle("next").click();
		assert.match(await words(page), /^Miss 1/);
	},

	"the tour comes on the first visit, points at things, and is remembered": async (
		w,
	) => {
		const page = await open(w, strided(w), SMALL, { tour: true });

		await page.evaluate(
			() => (document.cookie = "memlamp.tour=; max-age=0; path=/"),
		);
		await page.reload();
		await w.ready(page);
		await card(page).waitFor();
		assert.match(await words(page), /what a program does to memory/);
		await next(page);
		await w.until("the findings have an outline", async () => {
			const outline = await page
				.locator(".caption-outline")
				.boundingBox();
			const findings = await page
				.locator(".section", { hasText: "Findings" })
				.boundingBox();
			return (
				outline &&
				Math.abs(outline.x - findings.x) < 6 &&
				Math.abs(outline.height - findings.height) < 12
			);
		});
		for (let i = 0; i < 5; i++) await next(page);
		await card(page).getByRole("button", { name: "Done" }).click();
		assert.equal(await card(page).count(), 0);
		await page.reload();
		await w.ready(page);
		assert.equal(await card(page).count(), 0);
		await page.keyboard.press("?");
		await page.getByRole("button", { name: "Take the tour" }).click();
		await card(page).waitFor();
		assert.equal(await page.getByRole("dialog").count(), 0);
	},
};
