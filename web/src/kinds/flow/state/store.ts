// The store of the flow kind: the program, its sizes, heat maps, folds and selection. The
// choices are options, so that the URL restores them and undo steps through them.
import { wholeIn } from "../../../model/link";
import { computed, signal } from "@preact/signals";
import { activeKind, documentsOf, shownView } from "../../documents";
import { choices } from "../../../state/history";
import { isAbort } from "../../../api";
import { latest } from "../../../state/latest";
import type { Params } from "../../../model/types";
import { api } from "../api";
import {
	buildTree,
	parseFolds,
	printFolds,
	revealed,
	usualLevel,
	type Block,
	type Folds,
	type Tree,
} from "../model/boxes";
import { buildFrame, eachItem, homes, type Frame, type Item } from "../model/frames";
import { scaleOf, scalings, type Scale, type Scaling } from "../model/heat";
import {
	edgeRows,
	parseSizes,
	printSizes,
	type FlowNode,
	type Metrics,
	type Program,
} from "../model/program";

export const KIND = "flow";
export const USUAL = 128; // of a parameter that the person has not set
const DRAWN = 90; // boxes that are drawn to begin with
const TALL = 4500; // units of the first picture: boxes are some 5 pixels then
const SCALARS = 60; // more of them are not drawn to begin with

export const active = computed(() => activeKind.value?.id === KIND);
export function shows(view: string): boolean {
	return active.value && shownView.value?.id === view;
}

const { chosen: opt, choose } = choices(KIND, [
	"set",
	"local",
	"line",
	"threshold",
	"at",
	"layout",
]);
export { choose, opt };

/** The number of the flow that is shown. */
export const number = computed(() => {
	const all = documentsOf(KIND);
	const wanted = Number(opt("of", "0"));

	return (all.find((d) => d.number === wanted) ?? all[0])?.number ?? null;
});
export const path = computed(
	() => documentsOf(KIND).find((d) => d.number === number.value)?.path ?? "",
);

/** The function of the C file; undefined: the one that opens with it. */
const func = computed(() => opt("function", "") || undefined);
/** What every request has. */
export const which = computed<Params>(() => ({ function: func.value }));

interface Loaded {
	program: Program;
	nodes: FlowNode[];
	metrics: Metrics; // which node accesses which container; the numbers do not matter
	rows: number[][];
	lines: string[] | null; // of the C file, if it can be read
}

/** The function: all answers about it together, so that they belong together. */
const loaded = latest<Loaded>(() => {
	const [n, w] = [number.value, which.value];
	const load = async (at: number, abort: AbortSignal): Promise<Loaded> => {
		const [p, nodes, m] = await Promise.all([
			api.program(at, w, abort),
			api.nodes(at, w, abort),
			api.metrics(at, w, abort),
		]);
		const text = p.dialect === "C" ? await api.source(at, {}, abort).catch(unread) : null;

		return {
			program: p,
			nodes,
			metrics: m,
			rows: edgeRows(m, nodes.length),
			lines: text?.split("\n") ?? null,
		};
	};

	return n === null ? null : (abort) => load(n, abort);
}).value;

function unread(e: unknown): null {
	if (isAbort(e)) throw e;
	return null;
}

export const program = computed(() => loaded.value?.program ?? null);

/** Computations of C are called by the text of their line. */
export const tree = computed<Tree | null>(() => {
	const l = loaded.value;

	return (
		l &&
		buildTree(
			l.nodes.map((n) => {
				const text = n.file || n.kind !== "work" ? "" : l.lines?.[n.line - 1]?.trim();
				return text ? { ...n, label: text } : n;
			}),
		)
	);
});

export const ready = computed(() => {
	const [l, t] = [loaded.value, tree.value];

	return l && t
		? { program: l.program, tree: t, metrics: l.metrics, rows: l.rows }
		: null;
});

/** The sizes that the person set; others have USUAL. */
export const chosenSizes = computed(() => parseSizes(opt("set", "")));
export function size(name: string): number {
	return chosenSizes.value[name] ?? USUAL;
}
export function setSize(name: string, value: number): void {
	choose({ set: printSizes({ ...chosenSizes.value, [name]: value }) || null });
}
/** Parameters that have sliders: those that do not depend on data. */
export const parameters = computed(() => {
	const p = program.value;
	const trips = new Set(p?.trips ?? []);

	return p?.parameters.filter((x) => !trips.has(x)) ?? [];
});
export const sizeParams = computed<Params>(() => ({
	...which.value,
	set: opt("set", "") || undefined,
	others: USUAL,
}));

export const line = computed(() => wholeIn(opt("line", "64"), 1, 1e6, 64));
export const threshold = computed(() => wholeIn(opt("threshold", "10"), 0, 1e12, 10));

/* Heat maps of the global view. */

export const nodeMetrics: [string, string][] = [
	["operations", "operations"],
	["intensity", "intensity (operations a byte)"],
	["bytes", "bytes moved"],
	["footprint", "footprint (bytes)"],
	["misses", "predicted misses"],
	["runs", "executions"],
	["none", "nothing"],
];
export const edgeMetrics: [string, string][] = [
	["volume", "volume (bytes)"],
	["moved", "predicted movement (bytes)"],
	["footprint", "footprint (bytes)"],
	["none", "nothing"],
];
export const nodeMetric = computed(() => opt("node", "operations"));
export const edgeMetric = computed(() => opt("edge", "volume"));
export const scaling = computed<Scaling>(() => {
	const wanted = opt("scaling", "logarithmic");

	return scalings.find((s) => s === wanted) ?? "logarithmic";
});
export const colours = computed(() => opt("colours", "lamp"));
const simulates = computed(
	() => nodeMetric.value === "misses" || edgeMetric.value === "moved",
);

const numbers = latest<Metrics>(() => {
	const [n, p] = [number.value, sizeParams.value];
	const more = simulates.value
		? { simulate: 1, line: line.value, threshold: threshold.value }
		: {};

	return n === null || !program.value
		? null
		: (abort) => api.metrics(n, { ...p, ...more }, abort);
}).value;
/** The numbers at the sizes, once they are those of the function that is shown. */
export const metrics = computed<Metrics | null>(() => {
	const [m, l] = [numbers.value, loaded.value];

	return m &&
		l &&
		m.runs.length === l.nodes.length &&
		m.node.length === l.metrics.node.length
		? m
		: null;
});

export function nodeValue(m: Metrics, node: number, what = nodeMetric.value): number {
	switch (what) {
		case "operations":
			return m.operations[node]!;
		case "intensity":
			return m.bytes[node]! ? m.operations[node]! / m.bytes[node]! : NaN;
		case "bytes":
			return m.bytes[node]!;
		case "footprint":
			return m.footprint[node]!;
		case "misses":
			return m.cold[node]! + m.misses[node]!;
		case "runs":
			return m.runs[node]!;
	}
	return NaN;
}

/** What an edge moves; a container that is read and written has two edges. */
export function edgeValue(
	m: Metrics,
	row: number,
	write: boolean,
	what = edgeMetric.value,
): number {
	if (row < 0) return NaN;
	switch (what) {
		case "volume":
			return write ? m.written[row]! : m.read[row]!;
		case "moved":
			return (m.edgeCold[row]! + m.edgeMisses[row]!) * line.value;
		case "footprint":
			return m.edgeFootprint[row]!;
	}
	return NaN;
}

/* Folds and the picture. */

export const folds = computed(() => parseFolds(opt("folds", ""), usual.value));
export function toggleFold(b: Block): void {
	const f = folds.value;
	const toggled = new Set(f.toggled);

	if (toggled.has(b.id)) toggled.delete(b.id);
	else toggled.add(b.id);
	choose({ folds: printFolds({ level: f.level, toggled }) });
}
export function foldAll(level: number): void {
	choose({ folds: printFolds({ level: Math.max(1, level), toggled: new Set() }) });
}
/** Unfolds what hides a node. */
export function reveal(node: number): void {
	const t = tree.value;
	const next = t && printFolds(revealed(folds.value, t, node));

	if (next && next !== printFolds(folds.value)) choose({ folds: next });
}
export const scalars = computed(() => {
	const few = (program.value?.containers.filter((c) => c.scalar).length ?? 0) <= SCALARS;

	return opt("scalars", few ? "on" : "off") === "on";
});

export const frame = computed<Frame | null>(() => {
	const r = ready.value;

	return r && frameOf(r, folds.value);
});
function frameOf(r: NonNullable<typeof ready.value>, f: Folds): Frame {
	return buildFrame(
		{
			tree: r.tree,
			containers: r.program.containers,
			metrics: r.metrics,
			rows: r.rows,
			home: homes(r.tree, r.program.containers, r.metrics, r.rows),
			folds: f,
			scalars: scalars.value,
		},
		r.tree.root,
	);
}
/** The level of the first picture: not too many boxes, and not so long that it is a thread. */
const usual = computed(() => {
	const r = ready.value;
	let level = 1;

	if (!r) return level;
	for (let max = DRAWN; max; max >>= 1) {
		level = usualLevel(r.tree.root, max);
		if (level === 1) break;
		if (frameOf(r, { level, toggled: new Set() }).h <= TALL) break;
	}
	return level;
});

/** Scales of the two heat maps, over what is drawn. */
export const scales = computed<{ node: Scale; edge: Scale } | null>(() => {
	const [f, m] = [frame.value, metrics.value];
	const nodes: number[] = [];
	const edges: number[] = [];

	if (!f || !m) return null;
	const links = (x: Frame) => {
		for (const l of x.links)
			if (l.container >= 0 && l.row >= 0) edges.push(edgeValue(m, l.row, l.write));
	};
	links(f);
	eachItem(f, 0, 0, (i) => {
		if (i.kind === "work" || (i.kind === "box" && i.folded))
			nodes.push(nodeValue(m, i.node));
		if (i.inner) links(i.inner);
	});
	return { node: scaleOf(nodes, scaling.value), edge: scaleOf(edges, scaling.value) };
});

/** The hottest thing inside each box, as a share of the scale: what a small box shows. */
export const peaks = computed<Map<Item, number>>(() => {
	const [f, m, sc] = [frame.value, metrics.value, scales.value];
	const out = new Map<Item, number>();
	const peak = (i: Item): number => {
		const own =
			!i.inner && i.node >= 0 && m && sc ? sc.node.at(nodeValue(m, i.node)) : NaN;
		let most = own;

		for (const x of i.inner?.items ?? []) {
			const t = peak(x);
			if (!(t <= most)) most = Number.isNaN(t) ? most : t;
		}
		if (i.inner) out.set(i, most);
		return most;
	};

	for (const i of f?.items ?? []) peak(i);
	return out;
});

/* Selection. */

export type Pick =
	| { kind: "node"; node: number }
	| { kind: "container"; container: number }
	| { kind: "edge"; node: number; container: number };

export function parsePick(text: string): Pick | null {
	const m = text.match(/^([nce])(\d+)(?::(\d+))?$/);

	if (!m) return null;
	if (m[1] === "n") return { kind: "node", node: Number(m[2]) };
	if (m[1] === "c") return { kind: "container", container: Number(m[2]) };
	return { kind: "edge", node: Number(m[2]), container: Number(m[3] ?? 0) };
}
export function printPick(p: Pick | null): string | null {
	if (!p) return null;
	if (p.kind === "node") return `n${p.node}`;
	if (p.kind === "container") return `c${p.container}`;
	return `e${p.node}:${p.container}`;
}
export const picked = computed<Pick | null>(() => {
	const [p, r] = [parsePick(opt("pick", "")), ready.value];

	if (!p || !r) return null;
	if (p.kind !== "container" && p.node >= r.tree.nodes.length) return null;
	if (p.kind !== "node" && p.container >= r.program.containers.length) return null;
	return p;
});
export function pick(p: Pick | null): void {
	choose({ pick: printPick(p) });
}
export const hovered = signal<Pick | null>(null);
/** Set by lists that lead to a place of the picture; the view goes there. */
export const goal = signal<{ pick: Pick } | null>(null);

/** Selects and shows. */
export function goTo(p: Pick): void {
	if (p.kind !== "container") reveal(p.node);
	pick(p);
	goal.value = { pick: p };
}

/** The node that formulas and curves are about: the selected one, or all. */
export const subject = computed(() => {
	const p = picked.value;

	return p && p.kind !== "container" ? p.node : 0;
});
export const formulas = latest(() => {
	const [n, p, s] = [number.value, sizeParams.value, subject.value];

	return n === null || !ready.value || !active.value
		? null
		: (abort) => api.formulas(n, { ...p, root: s }, abort);
}).value;

/* The curve of a metric against a parameter. */

export const curveParameter = computed(() => {
	const wanted = opt("against", "");
	const all = program.value?.parameters ?? [];

	return all.includes(wanted) ? wanted : (parameters.value[0] ?? all[0] ?? null);
});
export const curveMetric = computed(() => opt("curve", "bytes"));
/** Misses are simulated: at fewer sizes, and only at those that are small enough. */
const curveMore = computed<Params>(() =>
	curveMetric.value === "misses"
		? { simulate: 1, points: 24, line: line.value, threshold: threshold.value }
		: { points: 60 },
);
export const curve = latest(() => {
	const more = curveMore.value;
	const [n, p, s, by] = [
		number.value,
		sizeParams.value,
		subject.value,
		curveParameter.value,
	];
	const to = by ? Math.max(16, 2 * size(by)) : 0;

	return n === null || !by || !ready.value || !shows("flow")
		? null
		: (abort) =>
				api.curve(n, { ...p, ...more, root: s, parameter: by, from: 1, to }, abort);
}).value;

/* The source. */

export const file = computed(() => {
	const t = tree.value;
	const p = picked.value;
	const node = p && p.kind !== "container" ? t?.nodes[p.node] : undefined;

	if (program.value?.dialect === "C") return node?.file ?? path.value;
	return node?.file ?? t?.nodes.find((n) => n.file)?.file ?? null;
});
