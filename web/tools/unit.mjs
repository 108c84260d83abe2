// Bundles test/*.test.ts with esbuild (node 18 reads no TypeScript) and runs them, all in one
// process: a process for each file takes longer than its tests.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";

const web = dirname(dirname(fileURLToPath(import.meta.url)));
const out = mkdtempSync(join(tmpdir(), "memlamp-unit-"));
const names = readdirSync(join(web, "test")).filter((n) => n.endsWith(".test.ts"));

const all = join(out, "all.mjs");

await esbuild.build({
	stdin: {
		contents: names.map((n) => `import "./test/${n}";`).join("\n"),
		resolveDir: web,
	},
	outfile: all,
	bundle: true,
	platform: "node",
	format: "esm",
	logLevel: "warning",
});
const run = spawnSync(process.execPath, ["--test", all], {
	stdio: "inherit",
	env: { ...process.env, WEB: web },
});
rmSync(out, { recursive: true });
process.exit(run.status ?? 1);
