// Bundles test/*.test.ts with esbuild (node 18 reads no TypeScript) and runs them.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";

const web = dirname(dirname(fileURLToPath(import.meta.url)));
const out = mkdtempSync(join(tmpdir(), "memlamp-unit-"));
const names = readdirSync(join(web, "test")).filter((n) => n.endsWith(".test.ts"));

await esbuild.build({
	entryPoints: names.map((n) => join(web, "test", n)),
	outdir: out,
	outExtension: { ".js": ".mjs" },
	bundle: true,
	platform: "node",
	format: "esm",
	logLevel: "warning",
});
const files = names.map((n) => join(out, n.replace(/\.ts$/, ".mjs")));
const run = spawnSync(process.execPath, ["--test", ...files], {
	stdio: "inherit",
	env: { ...process.env, WEB: web },
});
rmSync(out, { recursive: true });
process.exit(run.status ?? 1);
