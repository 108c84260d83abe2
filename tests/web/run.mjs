// Runs the browser tests: real Chromium against the real `memlamp view`.
//
//	node tests/web/run.mjs BUILD [PATTERN]
//
// BUILD is the build folder with the program in it; PATTERN picks tests by their names.
// Exits 77 where there is no Chromium or no way to record. SHOTS=DIR keeps a picture of each failed test.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { CHROMIUM, World, launch } from "./world.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const root = dirname(dirname(here));
const build = resolve(process.argv[2] ?? join(root, "build"));
const pattern = new RegExp(process.argv[3] ?? ".");

for (const [path, what] of [
	[CHROMIUM, "Chromium"],
	[join(build, "valgrind"), "Valgrind tool to record with"],
	[
		join(root, "web/node_modules/playwright-core"),
		"playwright-core (npm ci --prefix web)",
	],
])
	if (!existsSync(path)) {
		console.log(`no ${what}`);
		process.exit(77);
	}
const scratch = mkdtempSync(join(tmpdir(), "memlamp-web-"));
const browser = await launch(root);
const world = new World({
	browser,
	viewport: { width: 1280, height: 800 },
	build,
	root,
	scratch,
});
process.on("exit", () => {
	world.stop();
	rmSync(scratch, { recursive: true, force: true });
});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"])
	process.on(signal, () => process.exit(1));
process.stdout.on("error", () => process.exit(1));
let failed = 0;
let passed = 0;

try {
	for (const name of readdirSync(here)
		.filter((n) => n.endsWith(".test.mjs"))
		.sort()) {
		const { tests } = await import(pathToFileURL(join(here, name)).href);

		for (const [claim, run] of Object.entries(tests)) {
			if (!pattern.test(`${name} ${claim}`)) continue;
			const start = Date.now();
			try {
				await run(world);
				world.checkPages();
				passed++;
				console.log(`ok   ${claim} (${Date.now() - start} ms)`);
			} catch (e) {
				failed++;
				console.log(
					`FAIL ${claim}\n     ${String(e.stack ?? e).replace(/\n/g, "\n     ")}`,
				);
				if (process.env.SHOTS) {
					mkdirSync(process.env.SHOTS, { recursive: true });
					await world.shoot(
						join(
							process.env.SHOTS,
							`${claim.replace(/\W+/g, "-")}.png`,
						),
					);
				}
			}
			await world.closePages();
		}
	}
} finally {
	await browser.close();
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
