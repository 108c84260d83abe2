// A flow as docs/api.md has it: a program that is not run, its scopes, what they move.

/** A line of the program as text (lib/flow/listing.h). */
export interface ListingLine {
	node: number;
	depth: number;
	text: string;
}

export interface FlowNode {
	number: number;
	parent?: number;
	kind: "scope" | "loop" | "guard" | "work";
	label: string;
	file?: string;
	line: number; // 0: not known
	parallel: boolean;
	variable?: string; // of a loop
	range?: string; // of a loop; the condition of a guard
}

export interface Container {
	name: string;
	type: string;
	element: number; // bytes
	shape: (string | null)[];
	strides: (string | null)[];
	transient: boolean;
	scalar: boolean;
	read: string | null; // formulas in bytes
	written: string | null;
	bounded: boolean;
}

export interface Program {
	function: string;
	dialect: string;
	parameters: string[];
	trips: string[]; // those of the parameters that depend on data
	functions: string[];
	containers: Container[];
	bytes: string | null;
	operations: string | null;
	operations_by_kind: Record<string, string | null>;
	intensity: string;
	depth: string | null; // operations of which each needs the one before
	parallelism: string; // operations at a time, on average
	loops: {
		node: number;
		carries: "parallel" | "reduction" | "sequential" | "open";
		why?: string; // what it carries, or what is not known
	}[];
	span_missing?: string; // why loops are taken to run in order
	bounded: boolean;
	fitted: boolean;
	conditions: string[];
	notes: string[];
}

/** Numbers at sizes, by node and by edge (a node and a container). NaN: not known. */
export interface Metrics {
	runs: Float64Array;
	operations: Float64Array;
	bytes: Float64Array;
	footprint: Float64Array;
	cold: Float64Array;
	misses: Float64Array;
	node: Uint32Array;
	container: Uint32Array;
	how: Uint8Array; // 1 reads, 2 writes, 3 both
	read: Float64Array;
	written: Float64Array;
	edgeFootprint: Float64Array;
	edgeCold: Float64Array;
	edgeMisses: Float64Array;
	unsimulated?: string; // why there are no misses
}

/** Rows of the edges of each node. */
export function edgeRows(m: Metrics, nodes: number): number[][] {
	const rows: number[][] = Array.from({ length: nodes }, () => []);

	for (let i = 0; i < m.node.length; i++) rows[m.node[i]!]?.push(i);
	return rows;
}

/** Sizes "n=9,m=10" as numbers by name; what is no size is left out. */
export function parseSizes(text: string): Record<string, number> {
	const out: Record<string, number> = {};

	for (const part of text.split(",")) {
		const m = part.match(/^\s*([A-Za-z_]\w*)\s*=\s*(\d+)\s*$/);
		if (m) out[m[1]!] = Number(m[2]);
	}
	return out;
}

export function printSizes(sizes: Record<string, number>): string {
	return Object.entries(sizes)
		.map(([k, v]) => `${k}=${v}`)
		.join(",");
}

/** The text of a node in the outline and in messages. */
export function nodeTitle(n: FlowNode): string {
	if (n.kind === "loop") return n.range ?? n.label;
	if (n.kind === "guard") return `if ${n.range ?? n.label}`;
	return n.label;
}
