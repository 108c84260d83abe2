// Builds the page into one folder: index.html, app.js, app.css, nothing from elsewhere.
// OUT=dir chooses the folder; --watch builds again when a source changes.
import { mkdirSync, copyFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const out = resolve(process.env.OUT ?? join(here, "dist"));
const watch = process.argv.includes("--watch");

mkdirSync(out, { recursive: true });
copyFileSync(join(here, "src/index.html"), join(out, "index.html"));

const options = {
	entryPoints: [join(here, "src/app.ts")], // and the styles that it imports, as app.css
	outdir: out,
	absWorkingDir: here,
	bundle: true,
	minify: !watch,
	sourcemap: watch ? "inline" : false,
	format: "iife",
	target: ["chrome100", "firefox104", "safari16"],
	jsx: "automatic",
	jsxImportSource: "preact",
	// Prism's grammars look for the core on `global`.
	define: { global: "globalThis" },
	legalComments: "none",
	logLevel: "warning",
};

if (watch) await (await esbuild.context(options)).watch();
else await esbuild.build(options);
