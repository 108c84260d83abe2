// A kind of document that only this test has (web/test/toy): the shell takes it from the
// list that start() is given, and /api/open is answered with a document of it.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { join } from "node:path";

/** From now on pages have one more kind, and two documents of it beside the trace. */
async function addToys(w) {
	const web = join(w.root, "web");
	const esbuild = createRequire(join(web, "package.json"))("esbuild");
	const { outputFiles } = await esbuild.build({
		entryPoints: [join(web, "test/toy/app.ts")],
		absWorkingDir: web,
		bundle: true,
		minify: true,
		write: false,
		outdir: w.scratch,
		format: "iife",
		jsx: "automatic",
		jsxImportSource: "preact",
		define: { global: "globalThis" },
	});
	const script = outputFiles.find((f) => f.path.endsWith(".js")).text;
	const toy = (number, name) => ({ kind: "toy", number, path: `/x/${name}`, name });

	await (
		await w.visitor({ spoil: true })
	).route("**/app.js", (r) =>
		r.fulfill({ contentType: "text/javascript", body: script }),
	);
	await (
		await w.visitor({ spoil: true })
	).route("**/api/open*", async (r) => {
		const answer = await r.fetch();
		const body = await answer.json();
		body.documents.push(toy(0, "ball.toy"), toy(1, "kite.toy"));
		await r.fulfill({ response: answer, json: body });
	});
}

const word = (page) => page.evaluate(() => globalThis.memlamp.toy.selection.value.word);

async function search(page, text) {
	await page.keyboard.press("/");
	await page.keyboard.type(text);
	await page.keyboard.press("Enter");
}

export const tests = {
	"a kind that is added to the list has tabs, view, panes, keys, search and URL":
		async (w) => {
			const address = await w.serve(w.example("matmul.c", "16"));

			await addToys(w);
			const page = await w.page(address, { wait: false });
			const drawn = (text) =>
				w.until(`the view says ${text}`, async () =>
					(await w.svg(page)).includes(text),
				);

			await w.ready(page);
			// the ninth tab has no room at 1280 pixels
			await page.getByLabel("more views").selectOption("toybox");
			await drawn("toy ball.toy none");
			assert.equal(await page.locator(".toy-side").innerText(), "–");
			assert.equal(await page.locator(".source, .dock").count(), 0);
			assert.equal(await page.title(), "ball.toy – memlamp");
			await page.keyboard.press("q");
			await drawn("toy ball.toy apple");
			await search(page, "cherry");
			assert.equal(await word(page), "cherry");
			await search(page, "toy:drum");
			assert.equal(await word(page), "drum");
			await page.keyboard.press("Control+z");
			assert.equal(await word(page), "cherry");
			await search(page, "kite");
			await drawn("toy kite.toy cherry");
			await page.keyboard.press("?");
			await page.locator(".help", { hasText: "With toys" }).waitFor();
			await w.until("the URL has it", () =>
				["view=toybox", "toy.word=cherry", "o.toy.of=1"].every(
					(x) => page.url().includes(x),
				),
			);
			const { hash } = new URL(page.url());

			const again = await w.page(address, {
				wait: false,
				hash,
			});
			await w.until("the same is shown again", async () =>
				(await w.svg(again).catch(() => "")).includes(
					"toy kite.toy cherry",
				),
			);
			await again.getByRole("tab", { name: "Overview" }).click();
			await w.ready(again);
			assert.equal(await again.locator(".source, .dock").count(), 2);
		},
};
