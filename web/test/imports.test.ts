import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";

const tool = join(process.env["WEB"]!, "tools/check_imports.mjs");

/** What check_imports.mjs says of a tree of files. */
function faults(files: Record<string, string>): string[] {
	const src = mkdtempSync(join(tmpdir(), "memlamp-imports-"));

	for (const [name, text] of Object.entries({ "kinds/kind.ts": "", ...files })) {
		mkdirSync(dirname(join(src, name)), { recursive: true });
		writeFileSync(join(src, name), text);
	}
	const run = spawnSync(process.execPath, [tool, src], { encoding: "utf8" });
	rmSync(src, { recursive: true });
	return run.stderr.split("\n").filter(Boolean);
}

const a = { "kinds/a/index.ts": "", "kinds/a/state.ts": "", "kinds/a/model/x.ts": "" };

test("the registry imports kinds, the shell does not", () => {
	const registry = { "kinds/registry.ts": `import "./a"` };

	assert.deepEqual(faults({ ...a, ...registry }), []);
	assert.match(
		faults({ ...a, "shell/shell.tsx": `import "../kinds/a"` })[0]!,
		/shell may not know the kind a/,
	);
	assert.match(
		faults({ ...a, ...registry, "shell/shell.tsx": `import "../kinds/registry"` })[0]!,
		/shell may not import registry/,
	);
	assert.match(
		faults({ ...a, "shell/shell.tsx": `const x = "a";` })[0]!,
		/names the kind a/,
	);
});

test("kinds do not import each other, and their rooms have an order", () => {
	assert.match(
		faults({ ...a, "kinds/b/index.ts": `import "../a/state"` })[0]!,
		/kinds do not import each other/,
	);
	assert.deepEqual(faults({ ...a, "kinds/a/state.ts": `import "./model/x"` }), []);
	assert.match(
		faults({ ...a, "kinds/a/model/x.ts": `import "../state"` })[0]!,
		/model stands before state/,
	);
	assert.match(
		faults({ ...a, "kinds/a/attic/x.ts": "" })[0]!,
		/no room is called "attic"/,
	);
});

test("cycles are refused, of types too", () => {
	const found = faults({
		"model/x.ts": `import type { Y } from "./y";`,
		"model/y.ts": `import { z } from "./z";`,
		"model/z.ts": `import { x } from "./x";`,
	});

	assert.equal(found.length, 1);
	assert.match(found[0]!, /x\.ts.*import each other in a circle/);
});

test("only api.ts calls the server", () => {
	assert.match(faults({ "state/x.ts": "fetch(1)" })[0]!, /only api.ts/);
	assert.deepEqual(faults({ "api.ts": "fetch(1)" }), []);
});
