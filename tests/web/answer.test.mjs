// The page opens on the answer, selecting leads to where things happen, and nothing old
// stands under a new label. Expectations come from `memlamp dump` of the same trace.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { SMALL } from "./world.mjs";

const matmul = (w) => w.example("matmul.c", "16");
const stride = (w) => w.example("stride.c");

/** A program without symbols and source. */
function stripped(w) {
	const key = "stripped";

	if (!w.traces.has(key)) {
		const [source, program] = [".c", ""].map((x) => join(w.scratch, key + x));
		writeFileSync(
			source,
			`#include <stdlib.h>
			int main(void)
			{
				double *m = calloc(4096, sizeof(*m)), sum = 0;

				for (int k = 0; k < 4; k++)
					for (int i = 0; i < 4096; i++)
						sum += m[i * 37 % 4096];
				return sum == 1;
			}`,
		);
		execFileSync("cc", ["-O1", "-s", source, "-o", program]);
		w.memlamp("record", "-o", `${program}.mlt`, "--", program);
		w.traces.set(key, `${program}.mlt`);
	}
	return w.traces.get(key);
}

/** A page that opens as a person's does. */
async function open(w, trace, machine, hash = "") {
	const page = await w.page(await w.serve(trace, { machine }), {
		hash,
		own: true,
		size: { width: 1280, height: 800 },
	});

	await page.getByRole("heading", { name: "Findings" }).waitFor();
	return page;
}

/** Holds the answers of a route until the returned function is called. */
async function hold(page, pattern) {
	let go;
	const gone = new Promise((r) => (go = r));

	await page.route(pattern, async (route) => {
		await gone;
		await route.continue();
	});
	return go;
}

/** The line of matmul.c that made a reference. */
function lineOf(r) {
	const at = (r.caller ?? r.site)?.frames?.[0];

	return at?.file?.endsWith("matmul.c") ? at.line : 0;
}

export const tests = {
	"a trace opens a trail behind the first reference of its top finding, which is in sight":
		async (w) => {
			const page = await open(w, matmul(w), SMALL, "#view=regions");
			const top = JSON.parse(
				w.memlamp(
					"query",
					"-m",
					SMALL,
					matmul(w),
					"/api/sims/0/findings",
				),
			).findings.find((f) => f.file); // the loader's are not the user's to mend
			const place = w
				.refs(matmul(w))
				.filter(
					(r) =>
						r.region === top.region &&
						lineOf(r) === top.line,
				);
			const first = place.find((r) => r.time > place[0].time + 1024);

			await w.until(
				"the cursor is there",
				async () =>
					(await w.value(page, "cursor")) === first.time,
			);
			await w.quiet(page);
			const box = await page
				.locator(".findings .open b", { hasText: top.title })
				.boundingBox();
			assert.ok(box.y > 0 && box.y + box.height < 640);
			const regions = await page.evaluate(() =>
				globalThis.memlamp.mounted.view.frames.value.map(
					(f) => f.region.name,
				),
			);
			assert.equal(regions[0], top.region);
			await w.until("the address has it", () =>
				page.url().includes(`at=${first.time}`),
			);
		},

	"a trace without a finding opens where most waiting is": async (w) => {
		// one short walk: nothing that could be mended
		const trace = w.text(
			"late-walk",
			"region a 0x1000000 65536 8 8192\nL late.c:1\nr0x2000000*50000\n" +
				"L late.c:7\nr0x1000000+8*600\nL late.c:9\nr0x2000000*50000\n",
		);
		const page = await open(w, trace, SMALL);
		const at = await w.until("the cursor is there", () =>
			w.value(page, "cursor"),
		);
		const { findings } = JSON.parse(
			w.memlamp("query", "-m", SMALL, trace, "/api/sims/0/findings"),
		);

		assert.equal(findings.length, 0);
		assert.ok(at >= 50_000 && at < 50_600, `opens at ${at}`);
	},

	"undo gives back the selection and the cursor": async (w) => {
		const page = await open(w, matmul(w), SMALL, "#at=0");
		const row = page.locator('.line[data-line="22"]');

		await row.click();
		const moved = await w.until("the cursor follows", () =>
			w.value(page, "cursor"),
		);
		await page.keyboard.press("Control+z");
		await w.until("it is back", async () => !(await w.value(page, "cursor")));
		assert.deepEqual(await w.value(page, "selection"), {});
		await page.keyboard.press("Control+Shift+z");
		await w.until(
			"and forth",
			async () => (await w.value(page, "cursor")) === moved,
		);
	},

	"an address that names a moment is not moved": async (w) => {
		const page = await open(w, matmul(w), SMALL, "#at=0");

		await w.quiet(page);
		assert.equal(await w.value(page, "cursor"), 0);
	},

	"selecting a line moves the cursor to where it happens next": async (w) => {
		const page = await open(w, matmul(w), SMALL, "#at=0");
		const refs = w.refs(matmul(w)).filter((r) => lineOf(r) === 22);
		const row = page.locator('.line[data-line="22"]');

		await row.click();
		await w.until(
			"the cursor is at its first reference",
			async () => (await w.value(page, "cursor")) === refs[0].time,
		);
		await page.evaluate(
			(t) => globalThis.memlamp.trace.setCursor(t),
			refs[5].time + 1,
		);
		await row.click(); // nothing is selected
		await row.click();
		await w.until(
			"the cursor is at the next one",
			async () => (await w.value(page, "cursor")) === refs[6].time,
		);
		await page.getByLabel("cursor follows the selection").click();
		await page.locator('.line[data-line="33"]').click();
		await page.locator('.line[data-line="33"].selected').waitFor();
		assert.equal(await w.value(page, "cursor"), refs[6].time);
	},

	"a step to a phase lands in the user's code": async (w) => {
		const page = await open(w, stride(w), SMALL, "#at=0");
		const place = () =>
			page.evaluate(() => {
				const { trace } = globalThis.memlamp;
				return [trace.cursor.value, trace.trace.value.phases];
			});

		await page.keyboard.press("Control+ArrowRight");
		const at = await w.until(
			"the cursor moved",
			async () => (await place())[0],
		);
		const [, phases] = await place();
		const ref = w.refs(stride(w)).find((r) => r.time === at);

		assert.ok(at >= phases[0].from && at < phases[0].to);
		assert.match(ref.site.frames[0].file, /stride\.c$/);
	},

	"the space bar plays wherever the focus is": async (w) => {
		const page = await open(w, matmul(w), SMALL);

		for (const what of [
			page.getByRole("tab", { name: "Cache" }),
			page.getByLabel("speed", { exact: true }),
			page.getByLabel("play by"),
		]) {
			const before = await w.value(page, "playing");
			await what.focus();
			await page.keyboard.press("Space");
			assert.equal(await w.value(page, "playing"), !before);
		}
		assert.equal(
			await page
				.getByRole("tab", { name: "Cache" })
				.getAttribute("aria-selected"),
			"false",
		);
	},

	"a moment is typed as people write numbers, and nonsense is refused": async (
		w,
	) => {
		const page = await open(w, matmul(w), SMALL, "#at=7");
		const box = page.getByLabel("reference", { exact: true });

		await box.fill("11k");
		await box.press("Enter");
		assert.equal(await w.value(page, "cursor"), 11000);
		for (const nonsense of ["soon", "1e9", "900M"]) {
			await box.fill(nonsense);
			await box.press("Enter");
			await page.getByRole("status").waitFor();
			assert.equal(await w.value(page, "cursor"), 11000);
			assert.equal(await box.inputValue(), "11,000");
		}
	},

	"a message goes away, and the help stands before it": async (w) => {
		const page = await open(w, matmul(w), SMALL);

		await w.holdTime(page);
		await page.evaluate(
			() => (globalThis.memlamp.store.message.value = "a word"),
		);
		const box = await page.getByRole("status").boundingBox();
		await page.keyboard.press("?");
		const top = await page.evaluate(
			([x, y]) => document.elementFromPoint(x, y).closest(".message"),
			[box.x + 10, box.y + 10],
		);
		assert.equal(top, null);
		await page.clock.runFor(20000);
		assert.equal(await page.getByRole("status").count(), 0);
	},

	"the words of an old moment are greyed under a new number": async (w) => {
		const page = await open(w, matmul(w), SMALL, "#at=20000");
		const caption = page.locator(".section", {
			has: page.getByRole("heading", { name: /^Now/ }),
		});

		await page.locator(".caption").waitFor();
		const go = await hold(page, "**/at?*");
		await page.evaluate(() => globalThis.memlamp.trace.setCursor(30000));
		await caption.locator(".old .caption").waitFor();
		go();
		await w.until(
			"the new words are there",
			async () => !(await caption.locator(".old").count()),
		);
	},

	"no line has more than all of the window while its costs are on their way":
		async (w) => {
			const page = await open(w, matmul(w), SMALL, "#at=0");
			const shares = () =>
				page.evaluate(() =>
					[...document.querySelectorAll(".source .share")]
						.map((s) => s.textContent)
						.filter((t) => t.includes("%")),
				);

			await w.until(
				"shares are there",
				async () => (await shares()).length > 1,
			);
			const go = await hold(page, "**/lines?*");
			await page.evaluate(() =>
				globalThis.memlamp.trace.setWindow({
					from: 1000,
					to: 2000,
				}),
			);
			await w.until(
				"the old shares are gone",
				async () => !(await shares()).length,
			);
			go();
			await page.evaluate(() =>
				globalThis.memlamp.trace.setWindow(null),
			);
			await w.until(
				"shares are there",
				async () => (await shares()).length > 1,
			);
		},

	"a stripped program opens with costs of functions, its own data and one row for the rest":
		async (w) => {
			const trace = stripped(w);
			const page = await open(w, trace, SMALL);
			const top = JSON.parse(
				w.memlamp(
					"query",
					"-m",
					SMALL,
					trace,
					"/api/sims/0/select",
				),
			).lines.find((l) => l.func);

			// cycles of its references by level, of those of all functions
			const row = page.locator(".source .line", { hasText: top.func });
			await w.until("the function has its share", async () =>
				/%/.test(
					await row.locator(".share").first().textContent(),
				),
			);
			await w.until("all others have a row", async () =>
				(await w.svg(page)).includes("libraries and stacks"),
			);
			await page.getByRole("tab", { name: "Regions" }).click();
			const shown = await w.until("regions are shown", () =>
				page.evaluate(() => {
					const { frames } =
						globalThis.memlamp.mounted.view;
					return (
						frames?.value.length &&
						frames.value.map((f) => f.region)
					);
				}),
			);
			for (const r of shown)
				assert.ok(r.own * 2 >= r.references, r.name);
		},

	"regions that are seen together have colours of their own": async (w) => {
		const page = await open(w, stripped(w), SMALL);
		const colours = () =>
			page.evaluate(() => {
				const { trace } = globalThis.memlamp;
				return [...new Set(trace.regionOrder.value)]
					.slice(0, 12)
					.map((r) => trace.regionRank(r));
			});

		await w.until(
			"the order is known",
			async () => (await colours()).length === 12,
		);
		assert.equal(new Set(await colours()).size, 12);
	},

	"rows of an array without dimensions are those that the program walks": async (
		w,
	) => {
		const trace = w.program(
			"columns",
			`#include <stdlib.h>
			int main(void)
			{
				double *m = malloc(24 * 24 * sizeof(*m)), sum = 0;

				for (int i = 0; i < 24 * 24; i++)
					m[i] = i;
				for (int j = 0; j < 24; j++)
					for (int i = 0; i < 24; i++)
						sum += m[i * 24 + j];
				return sum == 1;
			}`,
		);

		for (const width of [1280, 1900]) {
			const page = await open(w, trace, SMALL, "#view=regions");
			await page.setViewportSize({ width, height: 800 });
			await w.until("m has rows of 24", () =>
				page.evaluate(() =>
					globalThis.memlamp.mounted.view?.frames?.value.some(
						(f) =>
							f.region.name === "m" &&
							f.shape.row === 24,
					),
				),
			);
			assert.match(await w.svg(page), /rows of 24/);
		}
	},
};
