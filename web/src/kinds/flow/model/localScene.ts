/*
 * The picture of the local view: containers element by element, and the loop nests between
 * them. Each container stands once: above what reads it first, or below what writes it.
 */
import type { Block, Tree } from "./boxes";
import { headersOf, short } from "./frames";
import {
	eachIndex,
	gridOf,
	placeOf,
	shownShape,
	tileOf,
	type Grid,
	type Placed,
} from "./grid";
import { layered, type LayerEdge } from "./layers";
import { storedOrder } from "./local";
import type { Container, Metrics } from "./program";

export const TILE = 14; // units of an element
export const TITLE = 20; // above the elements
export const TILES = 65536; // elements of a container that are drawn

export interface ContainerItem {
	kind: "container";
	container: number;
	placed: Placed; // in the order that is drawn
	order: number[]; // drawn dimension to dimension of the container
	grid: Grid;
	cut: boolean; // not all elements are drawn
	/** Elements in order of their indices: place in storage, and corner in tiles. */
	place: Float64Array;
	tx: Float32Array;
	ty: Float32Array;
	x: number;
	y: number;
	w: number;
	h: number;
}

export interface NestItem {
	kind: "nest";
	box: Block;
	loops: { node: number; text: string }[]; // node -1: a loop over tiles
	works: { node: number; text: string }[]; // the first ones
	more: number; // that are not listed
	scale: number; // of its letters: nests between large containers are larger
	x: number;
	y: number;
	w: number;
	h: number;
}

export type LocalItem = ContainerItem | NestItem;

export interface LocalEdge {
	nest: number; // items
	container: number;
	row: number; // of the edges of Metrics
	how: number; // 1 reads, 2 writes
	down: boolean; // the container is below the nest
	path: Float64Array | null; // around what lies between, from top to bottom
}

export interface LocalScene {
	items: LocalItem[];
	edges: LocalEdge[];
	w: number;
	h: number;
}

export const LOOP = 20; // height of a loop of a nest
export const WORK = 18;
const LISTED = 6; // computations of a nest that are listed

/** Boxes with loops, and computations outside of loops. */
export function nestsOf(tree: Tree, b: Block): Block[] {
	const loops = b.chain.some((n) => tree.nodes[n]!.kind === "loop");

	return loops || b.work >= 0 ? [b] : b.children.flatMap((c) => nestsOf(tree, c));
}

/** The loops around a computation of the changed program, the outermost first. */
export interface Moved {
	work: number;
	loops: { name: string; node?: number }[];
}

/** Loops of a nest as far as they have one child each; deeper ones belong to few works. */
function nestItem(tree: Tree, b: Block, moved: Moved | null): NestItem {
	const loops = b.chain
		.filter((n) => tree.nodes[n]!.kind !== "scope")
		.map((n, i) => ({ node: n, text: headersOf(tree, b)[i] ?? "" }));
	const works = tree.nodes
		.slice(b.id, b.last + 1)
		.filter((n) => n.kind === "work")
		.map((n) => ({ node: n.number, text: short(n.label, 46) }));
	const inner = tree.nodes
		.slice(b.id, b.last + 1)
		.filter((n) => n.kind === "loop" && !b.chain.includes(n.number))
		.map((n) => ({ node: n.number, text: short(n.range ?? n.label, 44) }));
	const all =
		moved && b.id <= moved.work && moved.work <= b.last
			? moved.loops.map((x) => ({
					node: x.node ?? -1,
					text:
						(x.node !== undefined && tree.nodes[x.node]!.range) || `${x.name} in steps`,
				}))
			: [...loops, ...(inner.length <= 4 ? inner : [])];
	const shown = works.slice(0, LISTED);
	const longest = Math.max(
		...all.map((x) => x.text.length + 8),
		...shown.map((x) => x.text.length),
		12,
	);

	return {
		kind: "nest",
		box: b,
		loops: all,
		works: shown,
		more: works.length - shown.length,
		scale: 1,
		x: 0,
		y: 0,
		w: Math.round(longest * 6.3 + 26),
		h: LOOP * all.length + WORK * (shown.length + (works.length > LISTED ? 1 : 0)) + 10,
	};
}

/** Dimensions in another order. */
function reordered(p: Placed, order: number[]): Placed {
	return {
		...p,
		shape: order.map((d) => p.shape[d]!),
		strides: order.map((d) => p.strides[d]!),
	};
}

function containerItem(where: Placed, title: string, stored: boolean): ContainerItem {
	const order = stored ? storedOrder(where.strides) : where.strides.map((_, d) => d);
	const placed = reordered(where, order);
	const whole = shownShape(placed);
	const shape = [...whole];
	let all = shape.reduce((n, v) => n * v, 1);

	// what is too large is cut in its slowest dimension
	for (let d = 0; all > TILES && d < shape.length; d++) {
		const rest = all / shape[d]!;
		shape[d] = Math.max(1, Math.floor(TILES / rest));
		all = rest * shape[d]!;
	}
	const grid = gridOf(shape);
	const place = new Float64Array(all);
	const tx = new Float32Array(all);
	const ty = new Float32Array(all);
	let i = 0;
	eachIndex(shape, (index) => {
		const at = tileOf(grid, index);

		place[i] = placeOf(placed, index);
		tx[i] = at.x;
		ty[i++] = at.y;
	});
	return {
		kind: "container",
		container: placed.container,
		placed,
		order,
		grid,
		cut: shape.some((n, d) => n !== whole[d]),
		place,
		tx,
		ty,
		x: 0,
		y: 0,
		w: Math.max(grid.w * TILE, title.length * 6.6 + 10),
		h: grid.h * TILE + TITLE,
	};
}

export function buildLocalScene(
	tree: Tree,
	containers: Container[],
	m: Metrics,
	rows: number[][],
	root: Block,
	placed: Placed[],
	title: (container: number) => string,
	moved: Moved | null = null,
	stored = false,
): LocalScene {
	const nests = nestsOf(tree, root);
	const items: LocalItem[] = nests.map((b) => nestItem(tree, b, moved));
	const at = new Map<number, number>();
	const edges: LocalEdge[] = [];
	const writer = new Map<number, number>(); // the first nest that writes a container

	nests.forEach((b, k) => {
		for (const r of rows[b.id]!)
			if (m.how[r]! & 2 && !writer.has(m.container[r]!)) writer.set(m.container[r]!, k);
	});
	nests.forEach((b, k) => {
		for (const r of rows[b.id]!) {
			const c = m.container[r]!;
			const where = placed.find((p) => p.container === c);

			if (!where || containers[c]!.scalar) continue;
			if (!at.has(c)) at.set(c, items.push(containerItem(where, title(c), stored)) - 1);
			const first = writer.get(c);
			edges.push({
				nest: k,
				container: at.get(c)!,
				row: r,
				how: m.how[r]!,
				down: first !== undefined && k <= first,
				path: null,
			});
		}
	});
	const widest = Math.max(0, ...items.map((i) => (i.kind === "container" ? i.w : 0)));
	const scale = Math.max(1, Math.min(2.5, widest / 420));
	for (const i of items)
		if (i.kind === "nest") {
			i.scale = scale;
			i.w *= scale;
			i.h *= scale;
		}
	// a nest that reads what a later one writes would close a circle
	const forward = edges.filter((e) => !e.down || writer.get(idOf(items, e)) === e.nest);
	const links: LayerEdge[] = forward.map((e) =>
		e.down ? { from: e.nest, to: e.container } : { from: e.container, to: e.nest },
	);
	// nests follow each other
	for (let k = 1; k < nests.length; k++) links.push({ from: k - 1, to: k });
	const p = layered(
		items.map((i) => ({ w: i.w + 16, h: i.h + 14 })),
		links,
		30 * scale + 14, // room for what moves
	);
	items.forEach((i, k) => {
		i.x = p.x[k]! + 8;
		i.y = p.y[k]! + 7;
	});
	forward.forEach((e, k) => (e.path = p.paths[k]!));
	return { items, edges, w: p.w, h: p.h };
}

/** The index of an element as the program writes it. */
export function writtenIndex(i: ContainerItem, drawn: number[]): number[] {
	if (!i.order.length) return drawn;
	const out = [...drawn];

	i.order.forEach((d, k) => (out[d] = drawn[k]!));
	return out;
}

function idOf(items: LocalItem[], e: LocalEdge): number {
	return (items[e.container] as ContainerItem).container;
}
