// The hardware as a sunburst or an icicle: where each resource lies. CPUs share the circle
// (or the width) equally; a resource covers the CPUs below it.

export interface TreeNode {
	parent: number;
	tier: number;
	label: string;
	size: number;
	select: string;
}

export interface Tree {
	name: string;
	nodes: TreeNode[];
	depth: number[]; // ring of each node, the root has 0
	from: number[]; // its part of the circle, 0 to 1
	to: number[];
	depths: number;
}

/** Lays out a tree whose parents stand before their children. */
export function layOut(name: string, nodes: TreeNode[]): Tree {
	const children: number[][] = nodes.map(() => []);
	const depth = nodes.map(() => 0);
	const leaves = nodes.map(() => 0);
	const [from, to] = [nodes.map(() => 0), nodes.map(() => 1)];

	nodes.forEach((n, i) => {
		if (!i) return;
		children[n.parent]!.push(i);
		depth[i] = depth[n.parent]! + 1;
	});
	for (let i = nodes.length - 1; i >= 0; i--) {
		if (!children[i]!.length) leaves[i] = 1;
		if (i) leaves[nodes[i]!.parent]! += leaves[i]!;
	}
	nodes.forEach((_, i) => {
		const width = to[i]! - from[i]!;
		let at = from[i]!;

		for (const k of children[i]!) {
			from[k] = at;
			at += (width * leaves[k]!) / leaves[i]!;
			to[k] = at;
		}
	});
	return {
		name,
		nodes,
		depth,
		from,
		to,
		depths: nodes.length ? Math.max(...depth) + 1 : 0,
	};
}

export interface Ring {
	x: number;
	y: number;
	inner: number; // radius of the root
	step: number; // of a ring with the gap inside it
	gap: number; // where links run
}

export function fitRing(
	x: number,
	y: number,
	w: number,
	h: number,
	depths: number,
): Ring {
	const outer = Math.max(10, Math.min(w, h) / 2);
	const inner = outer * (depths > 5 ? 0.13 : 0.18);
	const step = (outer - inner) / Math.max(1, depths - 1);

	return { x: x + w / 2, y: y + h / 2, inner, step, gap: Math.min(9, step * 0.32) };
}

export function ringRadii(r: Ring, depth: number): [number, number] {
	if (!depth) return [0, r.inner];
	return [r.inner + (depth - 1) * r.step + r.gap, r.inner + depth * r.step];
}

/** Between neighbours of one tier: narrow arcs have narrow gaps, so that colour is left. */
export function gapBetween(wide: number): number {
	return Math.min(1.5, wide * 0.12);
}

/** The node at a place of the circle; -1: none. */
export function nodeInRing(t: Tree, r: Ring, x: number, y: number): number {
	const [dx, dy] = [x - r.x, y - r.y];
	const far = Math.hypot(dx, dy);
	const turn = (Math.atan2(dx, -dy) / (2 * Math.PI) + 1) % 1;

	return t.nodes.findIndex((_, i) => {
		const [r0, r1] = ringRadii(r, t.depth[i]!);

		return (
			far >= r0 - (i ? r.gap : 0) && far < r1 && turn >= t.from[i]! && turn < t.to[i]!
		);
	});
}

/*
 * Numbers of resources from 0 to 1 within their tier: the paper scales colours and widths by
 * the lowest and highest of a depth, because latencies of L1 and of memory differ by
 * orders. Empty resources are -1.
 */
export function scaled(
	t: Tree,
	values: ArrayLike<number>,
	samples: ArrayLike<number>,
): Float64Array {
	const low = new Map<number, number>();
	const high = new Map<number, number>();
	const out = new Float64Array(t.nodes.length).fill(-1);

	t.nodes.forEach((n, i) => {
		if (!samples[i]) return;
		low.set(n.tier, Math.min(low.get(n.tier) ?? Infinity, values[i]!));
		high.set(n.tier, Math.max(high.get(n.tier) ?? 0, values[i]!));
	});
	t.nodes.forEach((n, i) => {
		if (!samples[i]) return;
		const [a, b] = [low.get(n.tier)!, high.get(n.tier)!];

		out[i] = b > a ? (values[i]! - a) / (b - a) : 1;
	});
	return out;
}

const LETTERS = 5; // half the height of a text, in pixels

/** The box for a horizontal text in the middle of an arc. */
export function roomInArc(
	r0: number,
	r1: number,
	a0: number,
	a1: number,
): { w: number; h: number } {
	const angle = (a0 + a1) / 2;
	const [sin, cos] = [Math.abs(Math.sin(angle)), Math.abs(Math.cos(angle))];
	const [mid, thick] = [(r0 + r1) / 2, r1 - r0];
	const long = (a1 - a0) * mid;

	if (sin > cos) return { w: thick / Math.max(0.75, sin), h: long * sin };
	// Above and below the middle an arc bends away from a text: its upper edge is a chord.
	const chord = 2 * Math.sqrt(Math.max(0, r1 ** 2 - (mid + LETTERS) ** 2));
	return { w: Math.min(90, long * cos, chord), h: thick * cos };
}
