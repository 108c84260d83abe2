// Who may import whom in web/src, and that only api.ts talks to the server.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const src = join(dirname(dirname(fileURLToPath(import.meta.url))), "src");

const allowed = {
	model: ["model", "kinds"],
	draw: ["draw", "model"],
	api: ["model", "kinds"],
	state: ["state", "api", "model", "kinds"],
	views: ["views", "state", "api", "draw", "model"],
	panels: ["panels", "views", "state", "api", "draw", "model", "kinds"],
	kinds: ["kinds", "shell", "panels", "views", "state", "api", "draw", "model"],
	shell: ["shell", "kinds", "panels", "views", "state", "api", "draw", "model"],
	app: ["shell", "panels", "views", "state", "api", "model", "kinds"],
};
// model and draw stand alone: no framework, no browser state.
const bare = { model: [], draw: [] };

function layer(path) {
	return relative(src, path)
		.split("/")[0]
		.replace(/\.tsx?$/, "");
}

const faults = [];

for (const name of readdirSync(src, { recursive: true }).map(String)) {
	if (!/\.tsx?$/.test(name)) continue;
	const path = join(src, name);
	const text = readFileSync(path, "utf8");
	const from = layer(path);

	if (!(from in allowed)) faults.push(`${name}: no layer is called "${from}"`);
	for (const [, to] of text.matchAll(/(?:from|import)\s+"([^"]+)"/g)) {
		if (to.startsWith(".")) {
			const target = layer(resolve(dirname(path), to));
			if (!allowed[from]?.includes(target))
				faults.push(
					`${name}: ${from} may not import ${target} (${to})`,
				);
		} else if (bare[from] && !bare[from].includes(to)) {
			faults.push(`${name}: ${from} may not import ${to}`);
		}
	}
	if (
		from !== "api" &&
		/\b(fetch\(|new EventSource|XMLHttpRequest|sendBeacon)/.test(text)
	)
		faults.push(`${name}: only api.ts calls the server`);
	if (from === "draw" && /^(export )?(let|var) /m.test(text))
		faults.push(`${name}: draw keeps no state`);
}
for (const f of faults) console.error(f);
process.exit(faults.length ? 1 : 0);
