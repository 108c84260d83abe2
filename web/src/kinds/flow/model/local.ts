// A flow at small sizes, element by element, as docs/api.md has it; and what a person
// changes of its layout.
import type { Placed } from "./grid";

export const NEVER = 0xffffffff; // a distance that does not exist

export interface LocalContainer {
	name: string;
	reads: number;
	writes: number;
	unplaced: number;
	cold: number; // touches of lines
	misses: number;
	bytes: number; // that move
	distances: [distance: number, touches: number][];
	distances_exact: boolean;
}

export interface Legality {
	kind: "legal" | "updates" | "illegal" | "open";
	all_sizes: boolean; // proved; else tried
	said: string;
}

/** Accesses by the level that served them, and misses of the first level by cause. */
export interface Served {
	served: number[];
	misses: number[]; // by level
	causes?: { cold: number; capacity: number; conflict: number };
}

export interface Local {
	values: Record<string, number>;
	line: number;
	threshold: number;
	accesses: number;
	computations: number;
	uncertain: number;
	containers: LocalContainer[];
	cold: number;
	misses: number;
	bytes: number;
	placed: Placed[];
	machine?: Served & {
		text: string;
		levels: string[]; // memory last
		containers: (Served & { name: string })[];
		cycles: number;
	};
}

/** The part of the columns that belongs to a container, by its number. */
export type Cells = Map<
	number,
	{ elements: number; first: number; cells: number; low: number }
>;

export interface Elements {
	cells: Cells;
	count: Uint32Array;
	cold: Uint32Array;
	misses: Uint32Array;
	min: Uint32Array;
	median: Uint32Array;
	max: Uint32Array;
	missed?: Uint32Array; // with a machine: its first level
	memory?: Uint32Array;
}

/** The place of an element in the columns; -1: it has none. */
export function cellOf(cells: Cells, container: number, place: number): number {
	const c = cells.get(container);
	const at = c ? place - c.low : -1;

	return c && at >= 0 && at < c.cells ? c.first + at : -1;
}

export interface Step {
	step: number;
	steps: number;
	node: number;
	loops: {
		name: string;
		node?: number; // loops over tiles have none
		value: number;
		low: number;
		high: number;
		step: number;
	}[];
	accesses: {
		container: number;
		place: number;
		write: boolean;
		distance: number | null;
	}[];
	trail: [container: number, place: number, ago: number][];
}

/** Elements "0:5,2:13": container and place. */
export interface Element {
	container: number;
	place: number;
}

export function parseElements(text: string): Element[] {
	return text
		.split(",")
		.map((t) => t.match(/^(\d+):(-?\d+)$/))
		.filter((m) => m !== null)
		.map((m) => ({ container: Number(m[1]), place: Number(m[2]) }));
}

export function printElements(list: Element[]): string {
	return list.map((e) => `${e.container}:${e.place}`).join(",");
}

/** What a person changes of the layout of one container. */
export interface Layout {
	order: number[] | null; // dimensions from the slowest to the contiguous one
	pad: number; // elements; 0: none
	offset: number;
}

/** "A=order:1,0+pad:8;B=offset:3" by name of the container. */
export function parseLayouts(text: string): Map<string, Layout> {
	const out = new Map<string, Layout>();

	for (const part of text.split(";")) {
		const m = part.match(/^(.+?)=(.+)$/);
		const x: Layout = { order: null, pad: 0, offset: 0 };

		for (const change of m?.[2]?.split("+") ?? []) {
			const [name, value] = change.split(":");

			if (name === "order") x.order = (value ?? "").split(",").map(Number);
			if (name === "pad") x.pad = Number(value) || 0;
			if (name === "offset") x.offset = Number(value) || 0;
		}
		if (m) out.set(m[1]!, x);
	}
	return out;
}

export function printLayouts(all: Map<string, Layout>): string {
	const parts: string[] = [];

	for (const [name, x] of all) {
		const changes = [
			...(x.order ? [`order:${x.order.join(",")}`] : []),
			...(x.pad > 1 ? [`pad:${x.pad}`] : []),
			...(x.offset > 0 ? [`offset:${x.offset}`] : []),
		];
		if (changes.length) parts.push(`${name}=${changes.join("+")}`);
	}
	return parts.join(";");
}

/** Dimensions from the slowest to the contiguous one, by their strides. */
export function storedOrder(strides: number[]): number[] {
	return strides.map((_, d) => d).sort((a, b) => strides[b]! - strides[a]! || a - b);
}

/** What the layout is called: row or column major, or the order. */
export function orderName(order: number[]): string {
	const n = order.length;

	if (n < 2) return "one dimension";
	if (order.every((d, i) => d === i)) return "row major";
	if (order.every((d, i) => d === n - 1 - i)) return "column major";
	return `order ${order.join(", ")}`;
}
