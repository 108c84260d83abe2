/*
 * What is drawn inside a scope: its children in their order, and the containers between
 * them. A container stands in the scope that has all of its accesses (arrays of the caller:
 * in the outermost); each write makes a new version of it, so that data flows downwards. A
 * container of a scope further out comes in and goes out through ports at the border.
 */
import { isFolded, parentBox, type Block, type Folds, type Tree } from "./boxes";
import { layered, type LayerEdge, type LayerNode } from "./layers";
import { nodeTitle, type Container, type Metrics } from "./program";

export interface Item {
	kind: "box" | "work" | "data" | "port";
	node: number; // of a box or computation; -1
	container: number; // of data and ports; -1
	box?: Block;
	folded: boolean;
	headers: string[]; // of a box: a line each
	title: string;
	inner?: Frame; // of an unfolded box, below its headers
	x: number; // in its frame
	y: number;
	w: number;
	h: number;
	/** Of a port: which end of the border; of an unfolded box, its ports by container. */
	side?: "in" | "out";
}

export interface Link {
	from: number; // items of the frame
	to: number;
	container: number; // -1: order only, not drawn
	row: number; // of the edges of Metrics; -1: passes data on without moving it
	write: boolean;
	path: Float64Array; // in the frame
}

export interface Frame {
	items: Item[];
	links: Link[];
	w: number;
	h: number;
}

const NEAR = 6; // children over which a line to a container is drawn
export const HEADER = 20; // height of a header
export const PAD = 12; // around the inner frame of a box

export interface Source {
	tree: Tree;
	containers: Container[];
	metrics: Metrics;
	rows: number[][]; // edgeRows()
	home: Int32Array; // homes()
	folds: Folds;
	scalars: boolean; // draw containers that are one number
}

/** The box whose frame a computation is drawn in. */
function frameOf(tree: Tree, work: number): Block {
	const leaf = tree.byId.get(tree.boxOf[work]!)!;

	return leaf.chain.length ? leaf : (parentBox(tree, leaf) ?? leaf);
}

/** The box that each container stands in, by number of the box; -1: nothing accesses it. */
export function homes(
	tree: Tree,
	containers: Container[],
	m: Metrics,
	rows: number[][],
): Int32Array {
	const home = new Int32Array(containers.length).fill(-1);

	for (const n of tree.nodes) {
		if (n.kind !== "work") continue;
		for (const r of rows[n.number]!) {
			const c = m.container[r]!;

			if (!containers[c]!.transient && !containers[c]!.scalar) {
				home[c] = 0;
				continue;
			}
			let a: Block | undefined = frameOf(tree, n.number);
			let b: Block | undefined = home[c]! < 0 ? a : tree.byId.get(home[c]!);
			while (a && b && a !== b) {
				if (a.depth >= b.depth) a = parentBox(tree, a);
				else b = parentBox(tree, b);
			}
			home[c] = a?.id ?? 0;
		}
	}
	return home;
}

const LETTER = 6.3; // width of a letter in a box, about

export function short(text: string, max = 34): string {
	return text.length > max ? `${text.slice(0, max - 1)}…` : text;
}

function wide(text: string, pad = 18): number {
	return Math.max(34, Math.round(short(text).length * LETTER + pad));
}

/** Lines of the headers of a box: its loops and guards; scopes if there is nothing else. */
export function headersOf(tree: Tree, b: Block): string[] {
	const nodes = b.chain.map((n) => tree.nodes[n]!);
	const loops = nodes.filter((n) => n.kind !== "scope");

	return (loops.length ? loops : nodes.slice(-1)).map((n) => short(nodeTitle(n), 44));
}

function item(kind: Item["kind"], more: Partial<Item>): Item {
	return {
		kind,
		node: -1,
		container: -1,
		folded: false,
		headers: [],
		title: "",
		x: 0,
		y: 0,
		w: 0,
		h: 0,
		...more,
	};
}

function workItem(s: Source, node: number): Item {
	const title = s.tree.nodes[node]!.label;

	return item("work", { node, title, w: wide(title), h: 26 });
}

function boxItem(s: Source, b: Block): Item {
	const headers = headersOf(s.tree, b);
	const folded = isFolded(s.folds, b);
	const title = b.works === 1 ? s.tree.nodes[b.last]!.label : `${b.works} computations`;
	const w = Math.max(...headers.map((h) => wide(h, 30)), wide(title, 30));

	if (folded)
		return item("box", {
			node: b.id,
			box: b,
			folded,
			headers,
			title,
			w,
			h: HEADER * headers.length + 24,
		});
	const inner = buildFrame(s, b);
	return item("box", {
		node: b.id,
		box: b,
		folded,
		headers,
		title,
		inner,
		w: Math.max(w, inner.w + 2 * PAD),
		h: HEADER * headers.length + inner.h + 2 * PAD,
	});
}

/** The item that a child is drawn as, and the node whose edges it has. */
function childItem(s: Source, b: Block): Item {
	return b.chain.length ? boxItem(s, b) : workItem(s, b.work);
}

/*
 * Whether data of a container come into a box: the first computation in it that accesses the
 * container reads it. What a guard decides may not run, so it needs the old data too.
 */
function comesIn(s: Source, b: Block, container: number): boolean {
	const how = (node: number) => {
		const r = s.rows[node]!.find((x) => s.metrics.container[x] === container);
		return r === undefined ? 0 : s.metrics.how[r]!;
	};

	if (b.chain.some((n) => s.tree.nodes[n]!.kind === "guard")) return how(b.id) > 0;
	if (b.work >= 0) return (how(b.work) & 1) !== 0;
	const first = b.children.find((c) => how(c.id) > 0);
	return first !== undefined && comesIn(s, first, container);
}

/** Collects items and links of one frame. */
class Builder {
	readonly items: Item[] = [];
	readonly links: Omit<Link, "path">[] = [];
	private readonly now = new Map<number, number>(); // item that holds a container
	private readonly used = new Map<number, number>(); // child that used that item last
	private child = 0; // place of the current child
	private readonly out = new Map<number, number>(); // port to the outside

	constructor(
		private readonly s: Source,
		private readonly box: Block,
	) {}

	private add(i: Item): number {
		return this.items.push(i) - 1;
	}

	private data(container: number): number {
		const title = this.s.containers[container]!.name;

		return this.add(item("data", { container, title, w: wide(title, 22), h: 24 }));
	}

	private port(container: number, side: "in" | "out"): number {
		return this.add(item("port", { container, side, w: 8, h: 0 }));
	}

	private link(
		from: number,
		to: number,
		container: number,
		row: number,
		write: boolean,
	): void {
		this.links.push({ from, to, container, row, write });
	}

	private homed(c: number): boolean {
		return this.s.home[c] === this.box.id;
	}

	/** Whether a child needs what a container held before it. */
	private needs(c: { item: Item; node: number }, row: number): boolean {
		return (
			(this.s.metrics.how[row]! & 1) !== 0 &&
			(!c.item.box || comesIn(this.s, c.item.box, this.s.metrics.container[row]!))
		);
	}

	/** The containers of a child that are not its own affair. */
	private shared(node: number): number[] {
		const { metrics: m, rows, tree, home } = this.s;

		return rows[node]!.filter((r) => {
			const at = tree.byId.get(home[m.container[r]!]!);
			return !at || at.depth <= this.box.depth;
		});
	}

	/** Children in order, with the containers that each reads and writes. */
	run(children: { item: Item; node: number }[]): void {
		const { metrics: m, containers, scalars } = this.s;
		const readLater = new Map<number, number>(); // the last child that reads it

		children.forEach((c, k) => {
			for (const r of this.shared(c.node))
				if (this.needs(c, r)) readLater.set(m.container[r]!, k);
		});
		children.forEach((c, k) => {
			const at = this.add(c.item);
			this.child = k;
			const mine = this.shared(c.node);

			for (const r of mine) {
				const of = m.container[r]!;
				const hidden = containers[of]!.scalar && !scalars;

				if (hidden) {
					const before = this.now.get(of);
					if (before !== undefined) this.link(before, at, -1, -1, false);
				} else if (this.needs(c, r)) this.read(of, at, r);
			}
			for (const r of mine) {
				const of = m.container[r]!;

				if (!(m.how[r]! & 2)) continue;
				if (containers[of]!.scalar && !scalars) this.now.set(of, at);
				else this.write(of, at, r, (readLater.get(of) ?? -1) > k);
			}
		});
		for (const [of, port] of this.out) {
			const last = this.now.get(of);
			if (last !== undefined && this.items[last]!.kind === "data")
				this.link(last, port, of, -1, true);
		}
	}

	private read(of: number, at: number, row: number): void {
		let from = this.now.get(of);

		if (from === undefined) {
			from = this.homed(of) ? this.data(of) : this.port(of, "in");
			this.now.set(of, from);
		} else if (this.child - (this.used.get(of) ?? this.child) > NEAR) {
			// drawn once more near its reader, instead of a line through everything
			const copy = this.data(of);
			this.link(from, copy, -1, -1, false);
			this.now.set(of, (from = copy));
		}
		this.used.set(of, this.child);
		this.link(from, at, of, row, false);
	}

	private write(of: number, at: number, row: number, again: boolean): void {
		const before = this.now.get(of);
		let to: number;

		if (!this.homed(of) && !this.out.has(of)) this.out.set(of, this.port(of, "out"));
		if (this.homed(of) || again) {
			to = this.data(of);
			this.now.set(of, to);
			this.used.set(of, this.child);
			// a second write comes after the first, also if nothing reads in between
			if (before !== undefined && this.items[before]!.kind === "data")
				this.link(before, at, -1, -1, false);
		} else {
			to = this.out.get(of)!;
			if (before !== undefined && this.items[before]!.kind === "data")
				this.now.delete(of);
		}
		this.link(at, to, of, row, true);
	}
}

/** Spreads the ends of edges along the borders of what they lead to. */
function spread(items: Item[], links: Omit<Link, "path">[], paths: Float64Array[]): void {
	const ends: { item: number; link: number; top: boolean }[][] = items.map(() => []);

	links.forEach((l, i) => {
		if (l.container < 0) return;
		ends[l.from]!.push({ item: l.from, link: i, top: false });
		ends[l.to]!.push({ item: l.to, link: i, top: true });
	});
	items.forEach((it, i) => {
		for (const top of [true, false]) {
			const mine = ends[i]!.filter((e) => e.top === top);
			const other = (e: { link: number }) => {
				const p = paths[e.link]!;
				return top ? p[p.length - 4]! : p[2]!;
			};
			const put = (e: { link: number }, x: number) => {
				const p = paths[e.link]!;
				p[top ? p.length - 2 : 0] = x;
			};

			if (it.inner) {
				const left = it.x + (it.w - it.inner.w) / 2;
				for (const e of mine) {
					const port = it.inner.items.find(
						(q) =>
							q.kind === "port" &&
							q.side === (top ? "in" : "out") &&
							q.container === links[e.link]!.container,
					);
					if (port) put(e, left + port.x + port.w / 2);
				}
			} else if (it.kind !== "port" && mine.length > 1) {
				mine.sort((a, b) => other(a) - other(b));
				const room = it.w * 0.7;
				mine.forEach((e, k) =>
					put(e, it.x + (it.w - room) / 2 + (room * (k + 0.5)) / mine.length),
				);
			}
		}
	});
}

function place(b: Builder): Frame {
	const nodes: LayerNode[] = b.items.map((i) => ({
		w: i.w,
		h: i.h,
		at: i.kind !== "port" ? undefined : i.side === "in" ? "first" : "last",
	}));
	const edges: LayerEdge[] = b.links.map(({ from, to }) => ({ from, to }));
	const p = layered(nodes, edges);

	b.items.forEach((it, i) => {
		it.x = p.x[i]!;
		it.y = p.y[i]!;
	});
	spread(b.items, b.links, p.paths);
	// ports are at the border of the box
	b.links.forEach((l, i) => {
		const path = p.paths[i]!;

		if (b.items[l.from]!.kind === "port") path[1] = -PAD;
		if (b.items[l.to]!.kind === "port") path[path.length - 1] = p.h + PAD;
	});
	return {
		items: b.items,
		links: b.links.map((l, i) => ({ ...l, path: p.paths[i]! })),
		w: p.w,
		h: p.h,
	};
}

export function buildFrame(s: Source, box: Block): Frame {
	const b = new Builder(s, box);
	const children =
		box.work >= 0
			? [{ item: workItem(s, box.work), node: box.work }]
			: box.children.map((c) => ({ item: childItem(s, c), node: c.id }));

	b.run(children);
	return place(b);
}

/** Where something is drawn in the whole picture. */
export interface Spot {
	x: number;
	y: number;
	w: number;
	h: number;
}

/** Calls `each` for all items of a frame and of those inside it, with absolute places. */
export function eachItem(
	f: Frame,
	x: number,
	y: number,
	each: (i: Item, x: number, y: number) => void,
): void {
	for (const i of f.items) {
		each(i, x + i.x, y + i.y);
		if (i.inner) {
			const at = innerPlace(i);
			eachItem(i.inner, x + i.x + at.x, y + i.y + at.y, each);
		}
	}
}

/** Where the inner frame of a box begins, from the box's corner. */
export function innerPlace(i: Item): { x: number; y: number } {
	return {
		x: (i.w - (i.inner?.w ?? 0)) / 2,
		y: HEADER * i.headers.length + PAD,
	};
}
