// The shell: opening, source, selection, keys, search, machines, what happens when the
// server goes away. Expectations come from `memlamp dump` of the same trace.
import assert from "node:assert/strict";
import { join } from "node:path";
import { SMALL } from "./world.mjs";

const matmul = (w) => w.example("matmul.c", "16");

/** The line of examples/matmul.c with the inner loop's body. */
async function innerLine(page) {
	return page.evaluate(() => {
		for (const row of document.querySelectorAll(".line"))
			if (row.textContent.includes("sum += A["))
				return Number(row.dataset.line);
		return 0;
	});
}

async function openAtInner(w) {
	const page = await w.page(await w.serve(matmul(w)));

	await page.keyboard.press("g");
	await w.until("the worst line is shown", () =>
		page.locator(".line.selected").count(),
	);
	return { page, line: await innerLine(page) };
}

/** References that a line of the program makes, itself or through a library. */
function madeBy(refs, line) {
	return refs.filter((r) => {
		const at = (r.caller ?? r.site)?.frames?.[0];
		return at?.line === line && at.file?.endsWith("matmul.c");
	});
}

export const tests = {
	"the page shows trace, source and counts of what was recorded": async (w) => {
		const page = await w.page(await w.serve(matmul(w)));
		const refs = w.refs(matmul(w)).filter((r) => r.kind);

		assert.equal(await w.value(page, "length"), refs.length);
		await page
			.getByText(refs.length.toLocaleString("en-US"))
			.first()
			.waitFor();
		// the source opens at the line that makes most references
		await page.locator(".line", { hasText: "sum += A[" }).waitFor();
		assert.ok(await page.locator(".token.keyword").count());
	},

	"at 1280 pixels every tab is seen, and what saves the picture is a list": async (
		w,
	) => {
		const page = await w.page(await w.serve(matmul(w)), {
			size: { width: 1280, height: 800 },
		});

		assert.equal(await page.locator("[role=tab]:visible").count(), 8);
		assert.equal(await page.getByLabel("more views").count(), 0);
		const [file] = await Promise.all([
			page.waitForEvent("download"),
			page.getByLabel("save", { exact: true }).selectOption("SVG"),
		]);
		assert.match(file.suggestedFilename(), /\.svg$/);
	},

	"tabs without room are in a list that names them": async (w) => {
		const page = await w.page(await w.serve(matmul(w)), {
			size: { width: 1040, height: 800 },
		});
		const more = page.getByLabel("more views");

		await more.waitFor();
		const seen = await page.locator("[role=tab]:visible").count();
		const names = await more.locator("option").allTextContents();
		assert.equal(names[0], `${8 - seen} more`);
		assert.equal(names.length, 1 + 8 - seen);
		await more.selectOption("cycles");
		await w.until("the list shows the name of its view", async () =>
			page.evaluate(
				() =>
					globalThis.memlamp.store.view.value ===
						"cycles" &&
					document.querySelector(
						".tabs-more.shown option:checked",
					)?.textContent === "Cycles",
			),
		);
	},

	"the token leaves the address bar and a reload still works": async (w) => {
		const page = await w.page(await w.serve(matmul(w)));

		assert.ok(!page.url().includes("token"));
		await page.reload();
		await w.ready(page);
	},

	"without a token the page says where to get one": async (w) => {
		const address = (await w.serve(matmul(w))).replace(
			/token=.*/,
			"token=wrong",
		);
		const page = await w.page(address, { wait: false });

		await page.getByText("Open the address that").waitFor();
	},

	"the worst line is the inner loop": async (w) => {
		const { page, line } = await openAtInner(w);

		assert.ok(line > 0);
		assert.equal((await w.value(page, "selection")).line, line);
	},

	"a click on a line selects the references that dump prints for it": async (w) => {
		const { page, line } = await openAtInner(w);
		const made = madeBy(w.refs(matmul(w)), line);

		await page.keyboard.press("Escape");
		await page.locator(`.line[data-line="${line}"] code`).click();
		assert.equal((await w.value(page, "selection")).line, line);
		await page.locator(".chip", { hasText: `matmul.c:${line}` }).waitFor();
		await page
			.getByText(`${made.length.toLocaleString("en-US")} references,`)
			.waitFor();
	},

	"pointing at a line pre-selects it and leaving it ends that": async (w) => {
		const { page, line } = await openAtInner(w);

		await page.locator(`.line[data-line="${line}"] code`).hover();
		assert.equal((await w.value(page, "hover")).line, line);
		await page.locator(".brand").hover();
		assert.deepEqual(await w.value(page, "hover"), {});
	},

	"undo and redo step through selections": async (w) => {
		const { page, line } = await openAtInner(w);

		await page.keyboard.press("Escape");
		assert.deepEqual(await w.value(page, "selection"), {});
		await page.keyboard.press("Control+z");
		assert.equal((await w.value(page, "selection")).line, line);
		await page.keyboard.press("Control+Shift+z");
		assert.deepEqual(await w.value(page, "selection"), {});
	},

	"the address restores cursor, window and selection": async (w) => {
		const { page, line } = await openAtInner(w);

		await page.evaluate(() => {
			globalThis.memlamp.trace.setWindow({ from: 100, to: 900 });
			globalThis.memlamp.trace.setCursor(321);
		});
		await w.until("the address has it", () => page.url().includes("at=321"));
		const hash = new URL(page.url()).hash;
		const other = await w.page(await w.serve(matmul(w)), { hash });
		assert.equal(await w.value(other, "cursor"), 321);
		assert.deepEqual(await w.value(other, "chosenWindow"), {
			from: 100,
			to: 900,
		});
		assert.equal((await w.value(other, "selection")).line, line);
	},

	"two tabs do not disturb each other": async (w) => {
		const address = await w.serve(matmul(w));
		const [one, two] = [await w.page(address), await w.page(address)];

		await one.keyboard.press("ArrowRight");
		assert.equal(await w.value(one, "cursor"), 1);
		assert.equal(await w.value(two, "cursor"), 0);
	},

	"the current reference is the one that dump prints": async (w) => {
		const page = await w.page(await w.serve(matmul(w)));
		const at = w.refs(matmul(w)).filter((r) => r.kind)[1000];

		await page.evaluate(() => globalThis.memlamp.trace.setCursor(1000));
		await page.locator("dd.mono", { hasText: at.address }).waitFor();
	},

	"the space bar plays and pauses": async (w) => {
		const page = await w.page(await w.serve(matmul(w)));

		await w.holdTime(page);
		await page.keyboard.press("Space");
		await w.until(
			"the cursor moves",
			async () => (await w.value(page, "cursor")) > 10,
		);
		await page.keyboard.press("Space");
		const at = await w.value(page, "cursor");
		await page.clock.runFor(1000);
		assert.equal(await w.value(page, "cursor"), at);
	},

	"a step to the next miss lands on a reference that memory served": async (w) => {
		const page = await w.page(await w.serve(matmul(w)));

		await page.keyboard.press("n");
		await page.keyboard.press("n");
		await w.until(
			"the cursor moved",
			async () => (await w.value(page, "cursor")) > 0,
		);
		await page.locator(".caption", { hasText: "memory" }).waitFor();
	},

	"steps that are asked for quickly follow one another": async (w) => {
		const page = await w.page(await w.serve(matmul(w)));
		const slow = [];

		for (let at = 0, i = 0; i < 6; i++) {
			at = await page.evaluate(
				([n, from]) =>
					fetch(
						`/api/sims/${n}/step?at=${from}&by=miss&dir=1`,
						{
							headers: {
								"X-Memlamp-Token":
									sessionStorage.getItem(
										"memlamp.token",
									),
							},
						},
					)
						.then((r) => r.json())
						.then((a) => a.at),
				[(await w.value(page, "ready")).sim, at],
			);
			slow.push(at);
		}
		for (let i = 0; i < 6; i++) await page.keyboard.press("n");
		await w.until(
			"the sixth miss is reached",
			async () => (await w.value(page, "cursor")) === slow[5],
		);
	},

	"stepping back returns to the same reference": async (w) => {
		const page = await w.page(await w.serve(matmul(w)));
		const caption = () => page.locator(".caption").textContent();

		await page.evaluate(() => globalThis.memlamp.trace.setCursor(5000));
		await page.locator(".section h3", { hasText: "5,000" }).waitFor();
		await w.quiet(page);
		const before = await caption();
		await page.keyboard.press("Shift+ArrowRight");
		await w.until(
			"it moved",
			async () => (await w.value(page, "cursor")) > 5000,
		);
		await page.evaluate(() => globalThis.memlamp.trace.setCursor(5000));
		await w.until("it is back", async () => (await caption()) === before);
	},

	"keys zoom and pan the window": async (w) => {
		const page = await w.page(await w.serve(matmul(w)));
		const n = await w.value(page, "length");

		await page.keyboard.press("w");
		const zoomed = await w.value(page, "chosenWindow");
		assert.ok(zoomed.to - zoomed.from < n);
		await page.keyboard.press("d");
		assert.ok((await w.value(page, "chosenWindow")).from > zoomed.from);
		await page.keyboard.press("0");
		assert.equal(await w.value(page, "chosenWindow"), null);
	},

	"the search finds a region and selects it": async (w) => {
		const page = await w.page(await w.serve(matmul(w)));
		const region = (await w.value(page, "regions"))[0];

		await page.keyboard.press("/");
		await page.keyboard.type(`${region.name} region`);
		await page.keyboard.press("Enter");
		assert.deepEqual(await w.value(page, "selection"), {
			region: region.region,
		});
	},

	"a number in the search is a moment": async (w) => {
		const page = await w.page(await w.serve(matmul(w)));

		await page.keyboard.press("/");
		await page.keyboard.type("1,234");
		await page.keyboard.press("Enter");
		assert.equal(await w.value(page, "cursor"), 1234);
	},

	"another machine is simulated and shown": async (w) => {
		const page = await w.page(await w.serve(matmul(w)));

		await page.keyboard.press("m");
		await page
			.getByLabel("machine text")
			.fill("L1 512 2w 64B 3c | memory 100c");
		await page.getByRole("button", { name: "Simulate", exact: true }).click();
		await w.until(
			"it is ready",
			async () =>
				(await w.value(page, "levelNames")).join() ===
				"L1,memory",
		);
		const rows = page
			.locator(".section", {
				has: page.getByRole("heading", { name: "Levels" }),
			})
			.locator("table.levels:not(.causes) tbody tr");
		await w.until(
			"two levels are listed",
			async () => (await rows.count()) === 2,
		);
	},

	"a simulation shows its progress and can be cancelled": async (w) => {
		// some ten seconds, in which everything misses
		w.memlamp(
			"import",
			"--model",
			"random 0 1G 16000000 8",
			"-o",
			"misses.mlt",
		);
		const page = await w.page(
			await w.serve(join(w.scratch, "misses.mlt"), {
				machine: "L1 32K 8w 64B | L2 1M 16w | L3 32M 16w | TLB 64e 4w 4K",
			}),
			{ wait: false },
		);

		await page.locator("progress").waitFor();
		await page.getByTitle("cancel the simulation").click();
		await w.until(
			"it is cancelled",
			async () => (await w.value(page, "sim")).state === "cancelled",
		);
		await page.locator(".machine-chip", { hasText: "cancelled" }).waitFor();
	},

	"form and text of a machine are the same machine": async (w) => {
		const page = await w.page(await w.serve(matmul(w)));

		await page.keyboard.press("m");
		await page.getByLabel("L1 size").fill("2K");
		assert.match(
			await page.getByLabel("machine text").inputValue(),
			/^L1 2K 4w 64B/,
		);
		await page
			.getByLabel("machine text")
			.fill("L1 4K 2w 64B fifo | memory 90c");
		assert.equal(await page.getByLabel("L1 ways").inputValue(), "2");
		assert.equal(await page.getByLabel("L1 policy").inputValue(), "fifo");
		assert.equal(await page.getByLabel("memory cycles").inputValue(), "90");
	},

	"a machine that is none is refused with a sentence": async (w) => {
		const page = await w.page(await w.serve(matmul(w)));

		await page.keyboard.press("m");
		await page.getByLabel("machine text").fill("L1 nonsense");
		await page.getByRole("button", { name: "Simulate", exact: true }).click();
		await page.locator(".message", { hasText: "nonsense" }).waitFor();
		assert.equal(await w.value(page, "overlay"), "machine");
	},

	"comparing asks for another machine than the one that is shown": async (w) => {
		const page = await w.page(await w.serve(matmul(w)));
		const go = page.getByRole("button", { name: "Compare", exact: true });

		await page.getByRole("button", { name: "compare", exact: true }).click();
		await page.getByText("This machine is shown already").waitFor();
		assert.ok(await go.isDisabled());
		await page.getByLabel("machine text").fill(SMALL.replace("8w", "4w"));
		assert.ok(await go.isEnabled());
	},

	"in a small window panes give way before the view does, and come back": async (
		w,
	) => {
		const page = await w.page(await w.serve(matmul(w)), {
			size: { width: 1024, height: 700 },
		});
		const stage = async () =>
			(await page.locator(".stage").boundingBox()).width;

		assert.ok((await stage()) >= 478, `${await stage()}`);
		assert.equal(await page.locator(".folded").count(), 0);
		// what a zoom of 150 % leaves of 1280 by 800
		await page.setViewportSize({ width: 853, height: 533 });
		await page.getByRole("button", { name: "open the left pane" }).waitFor();
		assert.ok((await stage()) >= 478, `${await stage()}`);
		await page.getByRole("button", { name: "open the left pane" }).click();
		await page.locator(".source").waitFor();
		await page.getByRole("button", { name: "fold the left pane" }).click();
		await page.getByRole("button", { name: "open the left pane" }).waitFor();
	},

	"theme and panes are those of the last start, whatever its port": async (w) => {
		const one = await w.page(await w.serve(matmul(w)));

		await one.getByRole("separator", { name: "left pane" }).focus();
		await one.keyboard.press("ArrowLeft");
		await one.evaluate(() => (globalThis.memlamp.store.theme.value = "dark"));
		const width = async (p) =>
			(await p.locator(".left-pane").boundingBox()).width;
		const other = await w.serve(matmul(w), { fresh: true });
		const two = await w.page(other.address);

		assert.notEqual(new URL(one.url()).port, new URL(two.url()).port);
		assert.equal(await w.value(two, "theme"), "dark");
		assert.equal(await width(two), await width(one));
		other.child.kill();
	},

	"a machine compared with itself differs in nothing": async (w) => {
		const page = await w.page(await w.serve(matmul(w)), {
			hash: `#second=${encodeURIComponent(SMALL)}`,
		});
		const section = page.locator(".section", { hasText: "Compared with" });
		const table = section.locator("table", { hasText: "cycles" });
		await table.waitFor();
		const changes = await table
			.locator("tbody td:last-child")
			.allTextContents();
		assert.deepEqual([...new Set(changes)], ["same"]);
	},

	"the overview names the regions and exports them as SVG": async (w) => {
		const page = await w.page(await w.serve(matmul(w)));
		const regions = ["A", "B", "C"];

		await page.evaluate(
			() => (globalThis.memlamp.store.view.value = "overview"),
		);
		const svg = await w.until("it is drawn", async () => {
			const text = await w.svg(page);
			return regions.every((r) => text.includes(`>${r}<`)) && text;
		});
		assert.match(svg, /^<svg xmlns=/);
		assert.match(svg, />▸ libraries and stacks</);
	},

	"light and dark are kept": async (w) => {
		const page = await w.page(await w.serve(matmul(w)));
		const theme = () =>
			page.evaluate(() => document.documentElement.dataset.theme);
		const before = await theme();

		await page.keyboard.press("t");
		const after = await theme();
		assert.notEqual(after, before);
		await page.reload();
		await w.ready(page);
		assert.equal(await theme(), after);
		await page.keyboard.press("t");
	},

	"a pane can be dragged wider and stays so": async (w) => {
		const page = await w.page(await w.serve(matmul(w)));
		const width = async () =>
			(await page.locator(".source").boundingBox()).width;
		const bar = await page.locator(".splitter.left").boundingBox();
		const before = await width();

		await page.mouse.move(bar.x, bar.y + 200);
		await page.mouse.down();
		await page.mouse.move(bar.x + 60, bar.y + 200, { steps: 4 });
		await page.mouse.up();
		assert.ok(Math.abs((await width()) - before - 60) < 3);
		await page.reload();
		await page.locator(".source").waitFor();
		assert.ok(Math.abs((await width()) - before - 60) < 3);
		await page.evaluate(
			() => (document.cookie = "memlamp.panes=; max-age=0; path=/"),
		);
	},

	"of a file of 100,000 lines only those on the screen are elements": async (w) => {
		const filler = Array.from({ length: 99990 }, (_, i) =>
			i % 1000 === 500 ? "/* over\n   two lines */" : `// line ${i}`,
		).join("\n");
		const text = `${filler}\nint a[64];\nint main(void)\n{\n\tfor (int i = 0; i < 64; i++)\n\t\ta[i] = i;\n\treturn a[5] - 5;\n}\n`;
		const page = await w.page(await w.serve(w.program("long", text)));
		const lines = text.split("\n").length - 1;

		await page.keyboard.press("g");
		await page.locator(".line.selected", { hasText: "a[i] = i" }).waitFor();
		assert.ok((await page.locator(".line").count()) < 100);
		assert.ok(lines > 99990);
		await page
			.locator(".source .scroll")
			.evaluate((e) => (e.scrollTop = 501 * 20));
		await page
			.locator(".line .token.comment", { hasText: "two lines" })
			.first()
			.waitFor();
	},

	"a trace is shown, and simulated, before it is counted": async (w) => {
		const page = await w.page(await w.serve(matmul(w)), { wait: false });
		let counted;
		const hold = new Promise((yes) => (counted = yes));

		// what waits for the counts on the server waits for the test here
		await page.route(
			/\/api\/traces\/0(\/regions|\/counts)?$/,
			async (route) => {
				await hold;
				await route.continue();
			},
		);
		await page.reload();
		await w.ready(page, false);
		assert.equal((await w.value(page, "regions")).length, 0);
		const { references } = await w.value(page, "trace");
		assert.equal(references, w.refs(matmul(w)).filter((r) => r.kind).length);
		counted();
		await w.until("regions are there", async () =>
			(await w.value(page, "regions")).some((r) => r.name === "A"),
		);
		await page.locator(".line.costs").first().waitFor();
	},

	"code without source is listed by function": async (w) => {
		const trace = w.text(
			"sites",
			"r 0x1000 8 1 0x401136 memcpy [libc.so.6]\nw 0x1008 8 1 lost.c:14 main\n",
		);
		const page = await w.page(await w.serve(trace));

		await page.getByLabel("file", { exact: true }).waitFor();
		await page.locator(".line", { hasText: "memcpy()" }).waitFor();
		await page.getByLabel("file", { exact: true }).selectOption("0");
		await page.locator(".line", { hasText: "main()" }).click();
		assert.deepEqual(await w.value(page, "selection"), { file: 0, line: 14 });
	},

	"a killed server is told, and a new one on the same port is found": async (w) => {
		const server = await w.serve(matmul(w), { fresh: true });
		const page = await w.page(server.address);

		server.child.kill("SIGKILL");
		await page.getByText("memlamp does not answer").waitFor();
		const again = await w.serve(matmul(w), {
			fresh: true,
			port: new URL(server.address).port,
		});
		// It has another token: the page must say so instead of waiting for ever.
		await page.getByText("does not know this page").waitFor();
		again.child.kill("SIGKILL");
	},
};
