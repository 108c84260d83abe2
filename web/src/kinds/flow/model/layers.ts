/*
 * A layered drawing of an acyclic graph, after Sugiyama, Tagawa and Toda (1981), for frames
 * of up to some thousand nodes: layers by longest path with a bound on their width, edges of
 * one node to many layers share a trunk, orders by medians, positions by least squares that
 * keep the order (isotonic regression), all in time almost linear in nodes and trunks.
 */

export interface LayerNode {
	w: number;
	h: number;
	/** "first": in the layer on top; "last": in the one at the bottom. */
	at?: "first" | "last";
}

export interface LayerEdge {
	from: number;
	to: number;
}

export interface Placed {
	x: Float64Array; // left of each node
	y: Float64Array; // top
	w: number;
	h: number;
	/** Points x, y, ... of each edge, from the bottom of `from` to the top of `to`. */
	paths: Float64Array[];
}

const GAP_X = 18;
const GAP_Y = 30;
const SWEEPS = 6;
const TRUNK = 10; // width that a trunk needs

interface Graph {
	layer: Int32Array; // by node, trunks too
	width: Float64Array;
	above: number[][]; // neighbours
	below: number[][];
	via: Int32Array[]; // nodes and trunks of each edge, both ends included
}

/** Layers: behind all predecessors, and not more than `cap` nodes side by side. */
export function ranks(nodes: LayerNode[], edges: LayerEdge[], cap: number): Int32Array {
	const n = nodes.length;
	const rank = new Int32Array(n);
	const waiting = new Int32Array(n);
	const next: number[][] = nodes.map(() => []);
	const used: number[] = [];
	const ready: number[] = [];

	for (const e of edges) {
		next[e.from]!.push(e.to);
		waiting[e.to]!++;
	}
	// the order of the list is that of the program: it is kept where edges leave a choice
	for (let i = 0; i < n; i++) if (!waiting[i]) ready.push(i);
	const order: number[] = [];
	for (let k = 0; k < ready.length; k++) {
		const v = ready[k]!;

		order.push(v);
		for (const t of next[v]!) if (!--waiting[t]!) ready.push(t);
	}
	const first = nodes.some((x) => x.at === "first") ? 1 : 0;
	const before: number[][] = nodes.map(() => []);
	for (const e of edges) before[e.to]!.push(e.from);
	for (const v of order) {
		if (nodes[v]!.at === "first") continue;
		let r = first;

		for (const u of before[v]!) r = Math.max(r, rank[u]! + 1);
		if (nodes[v]!.at !== "last" && before[v]!.length) while ((used[r] ?? 0) >= cap) r++;
		rank[v] = r;
		used[r] = (used[r] ?? 0) + 1;
	}
	// what has no predecessor goes down to where it is needed first
	for (let i = order.length - 1; i >= 0; i--) {
		const v = order[i]!;

		if (before[v]!.length || nodes[v]!.at || !next[v]!.length) continue;
		let r = Infinity;
		for (const t of next[v]!) r = Math.min(r, rank[t]! - 1);
		rank[v] = Math.max(first, r);
	}
	let last = 0;
	for (let i = 0; i < n; i++)
		if (nodes[i]!.at !== "last") last = Math.max(last, rank[i]!);
	for (let i = 0; i < n; i++) if (nodes[i]!.at === "last") rank[i] = last + 1;
	return rank;
}

/** Adds trunks: an edge that spans layers goes through one in each, shared by its source. */
function trunked(nodes: LayerNode[], edges: LayerEdge[], rank: Int32Array): Graph {
	const layer = [...rank];
	const width = nodes.map((v) => v.w);
	const above: number[][] = nodes.map(() => []);
	const below: number[][] = nodes.map(() => []);
	const trunks = new Map<number, number[]>(); // of a source: its trunk in each layer below
	const join = (u: number, v: number) => {
		if (below[u]!.includes(v)) return;
		below[u]!.push(v);
		above[v]!.push(u);
	};
	const via = edges.map((e) => {
		const path = [e.from];
		const list = trunks.get(e.from) ?? [];
		let at = e.from;

		trunks.set(e.from, list);
		for (let r = rank[e.from]! + 1; r < rank[e.to]!; r++) {
			const k = r - rank[e.from]! - 1;

			if (list[k] === undefined) {
				list[k] = layer.length;
				layer.push(r);
				width.push(TRUNK);
				above.push([]);
				below.push([]);
			}
			join(at, list[k]!);
			at = list[k]!;
			path.push(at);
		}
		join(at, e.to);
		path.push(e.to);
		return Int32Array.from(path);
	});

	return {
		layer: Int32Array.from(layer),
		width: Float64Array.from(width),
		above,
		below,
		via,
	};
}

/** Orders the layers so that edges cross seldom: medians of neighbours, up and down. */
function ordered(g: Graph, count: number): number[][] {
	const layers: number[][] = Array.from({ length: count }, () => []);
	const place = new Float64Array(g.layer.length);

	for (let v = 0; v < g.layer.length; v++) layers[g.layer[v]!]!.push(v);
	for (const l of layers) l.forEach((v, i) => (place[v] = i));
	const sort = (l: number[], near: number[][]) => {
		const key = new Map<number, number>();

		for (const v of l) {
			const at = near[v]!.map((u) => place[u]!).sort((a, b) => a - b);
			const m = at.length >> 1;

			key.set(
				v,
				!at.length ? place[v]! : at.length % 2 ? at[m]! : (at[m - 1]! + at[m]!) / 2,
			);
		}
		l.sort((a, b) => key.get(a)! - key.get(b)! || place[a]! - place[b]!);
		l.forEach((v, i) => (place[v] = i));
	};
	for (let s = 0; s < SWEEPS; s++) {
		if (s % 2 === 0) for (let i = 1; i < count; i++) sort(layers[i]!, g.above);
		else for (let i = count - 2; i >= 0; i--) sort(layers[i]!, g.below);
	}
	return layers;
}

/*
 * Centres of a layer as near as possible to the wanted ones, in order and apart: pools of
 * neighbours that would overlap move together (pool adjacent violators).
 */
export function apart(wanted: number[], widths: number[]): number[] {
	const offset: number[] = [];
	const pools: { sum: number; n: number; from: number }[] = [];

	wanted.forEach((_, i) =>
		offset.push(i ? offset[i - 1]! + (widths[i - 1]! + widths[i]!) / 2 : 0),
	);
	wanted.forEach((x, i) => {
		pools.push({ sum: x - offset[i]!, n: 1, from: i });
		while (pools.length > 1) {
			const [a, b] = [pools.at(-2)!, pools.at(-1)!];

			if (a.sum / a.n <= b.sum / b.n) break;
			pools.pop();
			a.sum += b.sum;
			a.n += b.n;
		}
	});
	const out: number[] = [];
	pools.forEach((p, k) => {
		const to = pools[k + 1]?.from ?? wanted.length;

		for (let i = p.from; i < to; i++) out.push(p.sum / p.n + offset[i]!);
	});
	return out;
}

function centres(g: Graph, layers: number[][]): Float64Array {
	const x = new Float64Array(g.layer.length);
	const gap = (v: number) => g.width[v]! + (g.width[v] === TRUNK ? 4 : GAP_X);
	const settle = (l: number[], near: number[][][]) => {
		const wanted = l.map((v) => {
			let [sum, n] = [0, 0];

			for (const lists of near)
				for (const u of lists[v]!) {
					sum += x[u]!;
					n++;
				}
			return n ? sum / n : x[v]!;
		});

		apart(
			wanted,
			l.map((v) => gap(v)),
		).forEach((at, i) => (x[l[i]!] = at));
	};
	for (const l of layers) {
		let at = 0;

		for (const v of l) {
			x[v] = at + gap(v) / 2;
			at += gap(v);
		}
		for (const v of l) x[v]! -= at / 2;
	}
	for (let s = 0; s < SWEEPS; s++) {
		for (let i = 1; i < layers.length; i++) settle(layers[i]!, [g.above]);
		for (let i = layers.length - 2; i >= 0; i--) settle(layers[i]!, [g.below]);
	}
	for (let s = 0; s < 2; s++) for (const l of layers) settle(l, [g.above, g.below]);
	return x;
}

/** `gap` is the room between layers. */
export function layered(nodes: LayerNode[], edges: LayerEdge[], gap = GAP_Y): Placed {
	const n = nodes.length;
	const cap = Math.max(8, Math.ceil(1.5 * Math.sqrt(n)));
	const rank = ranks(nodes, edges, cap);
	const count = n ? Math.max(...rank) + 1 : 0;
	const g = trunked(nodes, edges, rank);
	const layers = ordered(g, count);
	const x = centres(g, layers);
	const top = new Float64Array(count);
	const high = new Float64Array(count);
	let at = 0;

	layers.forEach((l, i) => {
		for (const v of l) if (v < n) high[i] = Math.max(high[i]!, nodes[v]!.h);
		top[i] = at;
		at += high[i]! + (i + 1 < count ? gap : 0);
	});
	let [left, right] = [Infinity, -Infinity];
	for (let v = 0; v < g.layer.length; v++) {
		left = Math.min(left, x[v]! - g.width[v]! / 2);
		right = Math.max(right, x[v]! + g.width[v]! / 2);
	}
	if (!n) [left, right] = [0, 0];
	const out = {
		x: Float64Array.from(nodes, (v, i) => x[i]! - v.w / 2 - left),
		y: Float64Array.from(
			nodes,
			(v, i) => top[rank[i]!]! + (v.at ? 0 : (high[rank[i]!]! - v.h) / 2),
		),
	};
	const paths = edges.map((e, k) => {
		const via = g.via[k]!;
		const p: number[] = [x[e.from]! - left, out.y[e.from]! + nodes[e.from]!.h];

		for (let i = 1; i + 1 < via.length; i++) {
			const r = g.layer[via[i]!]!;
			p.push(x[via[i]!]! - left, top[r]!, x[via[i]!]! - left, top[r]! + high[r]!);
		}
		p.push(x[e.to]! - left, out.y[e.to]!);
		return Float64Array.from(p);
	});
	return { ...out, w: right - left, h: at, paths };
}
