// Holds the order of the rooms of web/src: imports of each room, no import cycles (imports of
// types count too), no folder that is too full, only api.ts talks to the server, and no
// shared file names a kind of document.
//
//	node tools/check_imports.mjs [SRC]
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const web = dirname(dirname(fileURLToPath(import.meta.url)));
const src = resolve(process.argv[2] ?? join(web, "src"));
const FULL = 40; // files of a folder

// The shared rooms. A room is a folder or a single file; it may import itself and these.
const shared = {
	model: [],
	draw: ["model"],
	api: ["model"],
	state: ["api", "model"],
	views: ["state", "draw", "model"],
	panels: ["state", "draw", "model"],
	kinds: ["panels", "views", "state", "api", "draw", "model"], // kind.ts, documents.ts, save.ts
	registry: ["kinds"], // and the index of each kind
	shell: ["kinds", "panels", "views", "state", "api", "draw", "model"],
	app: ["registry", "shell"],
};

// The rooms of a kind, in order: a room may import itself and those before it, and the
// shared rooms up to `kinds`. A kind never imports another kind.
const usual = [
	"model",
	"api",
	"state",
	"views",
	"panels",
	"link",
	"commands",
	"search",
	"help",
	"index",
];
const orders = {
	trace: [
		"model",
		"api",
		"state",
		"timeline",
		"regions",
		"rings",
		"cycles",
		"panels",
		"help",
		"link",
		"commands",
		"search",
		"views",
		"index",
	],
	ensemble: [
		"model",
		"api",
		"state",
		"jump",
		"view",
		"panels",
		"commands",
		"search",
		"index",
	],
};
const ofKinds = ["kinds", ...shared.kinds];

// Rooms that stand alone: no framework, no browser state.
const bare = new Set(["model", "draw"]);

const faults = [];
const files = readdirSync(src, { recursive: true })
	.map(String)
	.filter((n) => /\.tsx?$/.test(n) && !n.endsWith(".d.ts"))
	.sort();
const kinds = readdirSync(join(src, "kinds"), { withFileTypes: true })
	.filter((e) => e.isDirectory())
	.map((e) => e.name);

/** The room of a file: { kind, room }; kind is undefined in shared rooms. */
function placeOf(name) {
	const parts = name.replace(/\.tsx?$/, "").split("/");

	if (parts[0] !== "kinds") return { room: parts[0] };
	if (parts.length === 2)
		return { room: parts[1] === "registry" ? "registry" : "kinds" };
	return { kind: parts[1], room: parts[2] };
}

/** Why one file may not import another, or "". */
function refusal(from, to) {
	const [a, b] = [placeOf(from), placeOf(to)];
	const order = orders[a.kind] ?? usual;

	if (a.kind && b.kind && a.kind !== b.kind)
		return `kinds do not import each other; openDocument() leads into a ${b.kind}`;
	if (a.kind && b.kind)
		return order.indexOf(b.room) <= order.indexOf(a.room)
			? ""
			: `${a.room} stands before ${b.room}`;
	if (a.kind)
		return ofKinds.includes(b.room) ? "" : `a kind may not import ${b.room}`;
	if (b.kind)
		return a.room === "registry" && b.room === "index"
			? ""
			: `${a.room} may not know the kind ${b.kind}`;
	return b.room === a.room || shared[a.room]?.includes(b.room)
		? ""
		: `${a.room} may not import ${b.room}`;
}

/** The file that an import means, relative to src. */
function resolved(from, spec) {
	const path = resolve(dirname(join(src, from)), spec);

	return [".ts", ".tsx", "/index.ts"]
		.map((end) => path + end)
		.filter(existsSync)
		.map((p) => relative(src, p))[0];
}

const imports = new Map();

for (const name of files) {
	const text = readFileSync(join(src, name), "utf8");
	const { kind, room } = placeOf(name);
	const code = text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "");
	const targets = new Set();

	if (!(kind ? (orders[kind] ?? usual).includes(room) : room in shared))
		faults.push(`${name}: no room is called "${room}"`);
	for (const [, to] of text.matchAll(/(?:from|import)\s+"([^"]+)"/g)) {
		if (!to.startsWith(".")) {
			if (bare.has(room))
				faults.push(`${name}: ${room} may not import ${to}`);
			continue;
		}
		const target = resolved(name, to);
		if (!target) continue; // CSS, types of a library
		const why = refusal(name, target);
		if (why) faults.push(`${name}: ${why} (${to})`);
		targets.add(target);
	}
	imports.set(name, [...targets]);
	if (
		name !== "api.ts" &&
		/\b(fetch\(|new EventSource|XMLHttpRequest|sendBeacon)/.test(code)
	)
		faults.push(`${name}: only api.ts calls the server`);
	if (room === "draw" && /^(export )?(let|var) /m.test(text))
		faults.push(`${name}: draw keeps no state`);
	if (!kind && room !== "registry")
		for (const k of kinds)
			if (new RegExp(`["'\`.]${k}["'\`]`).test(code))
				faults.push(`${name}: names the kind ${k}`);
}

// Cycles: strongly connected components of the imports (Tarjan 1972).
const index = new Map();
const low = new Map();
const stack = [];

function visit(name) {
	index.set(name, index.size);
	low.set(name, index.get(name));
	stack.push(name);
	for (const to of imports.get(name) ?? []) {
		if (!index.has(to)) visit(to);
		if (stack.includes(to))
			low.set(name, Math.min(low.get(name), low.get(to)));
	}
	if (low.get(name) !== index.get(name)) return;
	const ring = stack.splice(stack.indexOf(name));
	if (ring.length > 1)
		faults.push(`${ring.join(", ")}: import each other in a circle`);
}
for (const name of files) if (!index.has(name)) visit(name);

const folders = new Map();

for (const name of files)
	folders.set(dirname(name), (folders.get(dirname(name)) ?? 0) + 1);
for (const [folder, n] of folders)
	if (n > FULL) faults.push(`${folder}: ${n} files; split it by subject`);

for (const f of faults) console.error(f);
process.exit(faults.length ? 1 : 0);
