// The text of an .sdfg on the page: its source file where there is one, else the code that
// the graph contains.
import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const GRAPH = "outer_product_dace1.0.2.sdfg";

async function open(w, folder, file, hash) {
	mkdirSync(join(w.scratch, folder), { recursive: true });
	const path = join(w.scratch, folder, file);

	copyFileSync(join(w.root, "tests/sdfg", file), path);
	const page = await w.page(await w.serve(path), { wait: false, hash });
	await w.until("the program is drawn", () =>
		page
			.evaluate(() => !!globalThis.memlamp?.flow.scales.value)
			.catch(() => false),
	);
	return page;
}

export const tests = {
	"a graph without its source shows the code of its tasklets": async (w) => {
		const page = await open(w, "alone", GRAPH, "");

		await page.getByRole("tab", { name: "Source" }).click();
		await w.until("the listing", async () =>
			/map j = 0 to N - 1:/.test(
				await page.locator(".left-pane").innerText(),
			),
		);
		assert.match(
			await page.locator(".flow-listing").innerText(),
			/gen\.py is not on this machine/,
		);
		const code = page.locator(".left-pane .line", { hasText: "C[i, j]" });
		await code.click();
		await w.until("its computation is selected", () =>
			page.evaluate(() => {
				const f = globalThis.memlamp.flow;
				const p = f.picked.value;
				return (
					p?.kind === "node" &&
					f.tree.value.nodes[p.node].kind === "work"
				);
			}),
		);
		// the line that names the computation is the selected one
		assert.match(
			await page.locator(".left-pane .line.selected").innerText(),
			/:$/,
		);
	},

	"a source beside the graph is shown instead": async (w) => {
		mkdirSync(join(w.scratch, "beside"), { recursive: true });
		writeFileSync(
			join(w.scratch, "beside", "gen.py"),
			"# the generator\n".repeat(200),
		);
		const page = await open(w, "beside", GRAPH, "#o.flow.left=source");

		await w.until("the text of gen.py", async () =>
			/# the generator/.test(
				await page.locator(".left-pane").innerText(),
			),
		);
		assert.equal(await page.locator(".flow-listing").count(), 0);
	},
};
