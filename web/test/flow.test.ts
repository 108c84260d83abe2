// The models of the flow kind: layers, frames, scales, grids of elements, texts.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
	buildTree,
	isFolded,
	parseFolds,
	printFolds,
	revealed,
	usualLevel,
} from "../src/kinds/flow/model/boxes";
import { buildFrame, homes, type Frame } from "../src/kinds/flow/model/frames";
import {
	eachIndex,
	gridOf,
	indexAt,
	linesOf,
	placeOf,
	tileOf,
	type Placed,
} from "../src/kinds/flow/model/grid";
import { scaleOf } from "../src/kinds/flow/model/heat";
import { Labels } from "../src/kinds/flow/model/labels";
import { apart, layered, ranks } from "../src/kinds/flow/model/layers";
import {
	orderName,
	parseElements,
	parseLayouts,
	printElements,
	printLayouts,
	storedOrder,
} from "../src/kinds/flow/model/local";
import { buildLocalScene } from "../src/kinds/flow/model/localScene";
import {
	edgeRows,
	parseSizes,
	type Container,
	type FlowNode,
	type Metrics,
} from "../src/kinds/flow/model/program";

/** A small generator of numbers, the same in every run. */
function random(seed: number): () => number {
	return () => (seed = (seed * 1103515245 + 12345) & 0x7fffffff) / 0x7fffffff;
}

test("layers are behind all predecessors, and sources stand near what needs them", () => {
	const size = { w: 10, h: 10 };
	// 0 -> 1 -> 2 -> 3, and 4 -> 3
	const r = ranks(
		[size, size, size, size, size],
		[
			{ from: 0, to: 1 },
			{ from: 1, to: 2 },
			{ from: 2, to: 3 },
			{ from: 4, to: 3 },
		],
		10,
	);

	assert.deepEqual([...r], [0, 1, 2, 3, 2]);
});

test("in random graphs no two nodes overlap, and edges go down", () => {
	const next = random(7);

	for (let round = 0; round < 20; round++) {
		const n = 5 + Math.floor(next() * 60);
		const nodes = Array.from({ length: n }, () => ({
			w: 10 + next() * 80,
			h: 10 + next() * 40,
		}));
		const edges = [];
		for (let i = 1; i < n; i++)
			for (let k = 0; k < 2; k++)
				if (next() < 0.8) edges.push({ from: Math.floor(next() * i), to: i });
		const p = layered(nodes, edges);

		for (let i = 0; i < n; i++) {
			assert.ok(p.x[i]! >= -1e-6 && p.x[i]! + nodes[i]!.w <= p.w + 1e-6);
			for (let k = 0; k < i; k++) {
				const beside =
					p.x[i]! + nodes[i]!.w <= p.x[k]! + 1e-6 ||
					p.x[k]! + nodes[k]!.w <= p.x[i]! + 1e-6;
				const below =
					p.y[i]! + nodes[i]!.h <= p.y[k]! + 1e-6 ||
					p.y[k]! + nodes[k]!.h <= p.y[i]! + 1e-6;
				assert.ok(beside || below, `${i} and ${k} overlap`);
			}
		}
		edges.forEach((e, k) => {
			const path = p.paths[k]!;
			assert.ok(p.y[e.from]! + nodes[e.from]!.h <= p.y[e.to]!);
			assert.equal(path[1], p.y[e.from]! + nodes[e.from]!.h);
			assert.equal(path[path.length - 1], p.y[e.to]);
		});
	}
});

test("neighbours that want the same place stand around it", () => {
	assert.deepEqual(apart([0, 0], [10, 10]), [-5, 5]);
	assert.deepEqual(apart([0, 100], [10, 10]), [0, 100]);
	assert.deepEqual(apart([30, 0, 6], [10, 10, 10]), [2, 12, 22]);
});

/** for i { t = a[i]; b[i] = t; } with t inside; then c = b. */
const nodes: FlowNode[] = [
	["scope", undefined, "f"],
	["loop", 0, "i"],
	["work", 1, "t = a[i]"],
	["work", 1, "b[i] = t"],
	["loop", 0, "j"],
	["work", 4, "c[j] = b[j]"],
].map(([kind, parent, label], number) => ({
	number,
	parent: parent as number | undefined,
	kind: kind as FlowNode["kind"],
	label: label as string,
	line: number,
	parallel: false,
	variable: kind === "loop" ? (label as string) : undefined,
	range: kind === "loop" ? `${label} = 0 to n - 1` : undefined,
}));
const container = (name: string, transient = false): Container => ({
	name,
	type: "double",
	element: 8,
	shape: ["n"],
	strides: ["1"],
	transient,
	scalar: false,
	read: null,
	written: null,
	bounded: false,
});
const containers = [container("a"), container("b"), container("c"), container("t", true)];
// node, container, how
const accesses: [number, number, number][] = [
	[2, 0, 1],
	[2, 3, 2],
	[3, 3, 1],
	[3, 1, 2],
	[1, 0, 1],
	[1, 3, 3],
	[1, 1, 2],
	[5, 1, 1],
	[5, 2, 2],
	[4, 1, 1],
	[4, 2, 2],
];
const none = new Float64Array(20);
const metrics: Metrics = {
	runs: none,
	operations: none,
	bytes: none,
	footprint: none,
	cold: none,
	misses: none,
	node: Uint32Array.from(accesses, (a) => a[0]),
	container: Uint32Array.from(accesses, (a) => a[1]),
	how: Uint8Array.from(accesses, (a) => a[2]),
	read: none,
	written: none,
	edgeFootprint: none,
	edgeCold: none,
	edgeMisses: none,
};
const tree = buildTree(nodes);
const rows = edgeRows(metrics, nodes.length);
const home = homes(tree, containers, metrics, rows);
const frame = (folds: string): Frame =>
	buildFrame(
		{
			tree,
			containers,
			metrics,
			rows,
			home,
			folds: parseFolds(folds, 9),
			scalars: true,
		},
		tree.root,
	);

/** "a>f1": what is linked to what, by names. */
function links(f: Frame): string[] {
	const name = (k: number) => {
		const i = f.items[k]!;
		return i.container >= 0
			? (i.kind === "port" ? i.side![0]! + ":" : "") + containers[i.container]!.name
			: `f${i.node}`;
	};

	return f.links
		.filter((l) => l.container >= 0)
		.map((l) => `${name(l.from)}>${name(l.to)}`)
		.sort();
}

test("a container stands where all of its accesses are", () => {
	assert.deepEqual([...home], [0, 0, 0, 1]);
});

test("data flow through versions of containers, and through ports of scopes", () => {
	const f = frame("9");
	const loop = f.items.find((i) => i.node === 1)!;

	assert.deepEqual(links(f), ["a>f1", "b>f4", "f1>b", "f4>c"]);
	assert.deepEqual(links(loop.inner!), ["f2>t", "f3>o:b", "i:a>f2", "t>f3"]);
	assert.ok(loop.w >= loop.inner!.w && loop.h >= loop.inner!.h);
});

test("a folded scope shows what it moves, not how", () => {
	const f = frame("1");

	assert.ok(f.items.filter((i) => i.box).every((i) => i.folded && !i.inner));
	assert.deepEqual(links(f), ["a>f1", "b>f4", "f1>b", "f4>c"]);
});

test("folds are a level and toggled boxes; a hidden node is revealed", () => {
	const f = parseFolds("1;4", 3);
	const box = (n: number) => tree.byId.get(n)!;

	assert.equal(printFolds(f), "1;4");
	assert.ok(isFolded(f, box(1)) && !isFolded(f, box(4)));
	assert.ok(!isFolded(revealed(f, tree, 2), box(1)));
	assert.equal(parseFolds("", 3).level, 3);
	assert.equal(usualLevel(tree.root, 3), 1);
	assert.equal(usualLevel(tree.root, 100), 64);
});

test("a chain of loops is one box with several headers", () => {
	const nest: FlowNode[] = ["scope", "loop", "loop", "work"].map((kind, number) => ({
		number,
		parent: number ? number - 1 : undefined,
		kind: kind as FlowNode["kind"],
		label: `${number}`,
		line: 0,
		parallel: false,
	}));
	const t = buildTree(nest);

	assert.equal(t.root.children.length, 1);
	assert.deepEqual(t.root.children[0]!.chain, [1, 2]);
	assert.equal(t.root.children[0]!.work, 3);
});

test("scales: outliers stand out of the mean, ranks spread evenly", () => {
	const values = [1, 1, 1, 1, 96]; // mean 20, median 1

	const mean = scaleOf(values, "mean");
	assert.equal(mean.at(1), 1 / 40);
	assert.equal(mean.at(96), 1); // clamped
	assert.deepEqual(mean.ends, [0, 20, 40]);
	assert.equal(scaleOf(values, "median").at(1), 0.5);
	const ranks = scaleOf([5, 7, 100, 7], "histogram");
	assert.deepEqual([5, 7, 100].map(ranks.at), [0, 0.5, 1]);
	assert.equal(scaleOf([0, 10], "linear").at(5), 0.5);
	const log = scaleOf([1, 100], "logarithmic");
	assert.ok(Math.abs(log.at(10) - 0.5) < 1e-12);
	assert.equal(log.at(0), 0);
	assert.ok(Number.isNaN(log.at(NaN)));
	assert.ok(Number.isNaN(scaleOf([], "mean").at(1)));
});

test("grids: rows and columns, then rows of grids, then columns of these", () => {
	const g = gridOf([2, 3, 4, 5]);

	assert.deepEqual(tileOf(g, [0, 0, 1, 2]), { x: 2, y: 1 });
	assert.deepEqual(tileOf(g, [0, 1, 0, 0]), { x: 5.8, y: 0 });
	assert.deepEqual(tileOf(g, [1, 0, 0, 0]), { x: 0, y: 4.8 });
	assert.deepEqual(gridOf([7]), { ...gridOf([7]), w: 7, h: 1 });
});

test("each tile is found again at its place, in grids of any dimensions", () => {
	for (const shape of [[3], [100], [4, 6], [12, 12, 5], [2, 3, 4, 5], [20, 2, 2], []]) {
		const g = gridOf(shape);
		const seen = new Set<string>();

		eachIndex(shape, (index) => {
			const { x, y } = tileOf(g, index);

			assert.deepEqual(indexAt(g, x + 0.5, y + 0.5), [...index]);
			assert.ok(x + 1 <= g.w + 1e-9 && y + 1 <= g.h + 1e-9);
			seen.add(`${x} ${y}`);
		});
		assert.equal(
			seen.size,
			shape.reduce((n, v) => n * v, 1),
		);
		assert.equal(indexAt(g, -1, 0), null);
		assert.equal(indexAt(g, g.w + 1, 0), null);
	}
});

test("places and lines follow strides, offset and base", () => {
	// 10 x 15 floats, column major
	const b: Placed = {
		container: 1,
		low: 0,
		high: 149,
		base: 4096,
		offset: 0,
		shape: [10, 15],
		strides: [1, 10],
	};

	assert.equal(placeOf(b, [0, 1]), 10);
	// 64 bytes are 16 elements: B[0, 1] shares its line with B[1..5, 1] and B[0..9, 0]
	assert.deepEqual(linesOf(b, 10, 4, 64), [64, 64]);
	assert.deepEqual(linesOf(b, 16, 4, 64), [65, 65]);
	// an element of 24 bytes may lie on two lines
	assert.deepEqual(linesOf({ ...b, base: 0 }, 2, 24, 64), [0, 1]);
});

test("layouts, elements and sizes are printed and parsed", () => {
	const text = "A=order:1,0+pad:8;B=offset:3";

	assert.equal(printLayouts(parseLayouts(text)), text);
	assert.equal(printLayouts(new Map([["A", { order: null, pad: 0, offset: 0 }]])), "");
	assert.equal(printElements(parseElements("0:5,x,2:13")), "0:5,2:13");
	assert.deepEqual(parseSizes("n=9, m=10,q,=3"), { n: 9, m: 10 });
	assert.deepEqual(storedOrder([1, 10]), [1, 0]);
	assert.equal(orderName([1, 0]), "column major");
	assert.equal(orderName([2, 0, 1]), "order 2, 0, 1");
});

test("in the local picture a container stands above its reader or below its writer", () => {
	const placed = [0, 1, 2].map((c) => ({
		container: c,
		low: 0,
		high: 3,
		base: 64 * c,
		offset: 0,
		shape: [4],
		strides: [1],
	}));
	const scene = buildLocalScene(
		tree,
		containers,
		metrics,
		rows,
		tree.root,
		placed,
		() => "",
	);
	const y = (c: number) =>
		scene.items.find((i) => i.kind === "container" && i.container === c)!.y;
	const [first, second] = scene.items.filter((i) => i.kind === "nest");

	assert.ok(y(0) < first!.y && first!.y < y(1) && y(1) < second!.y && second!.y < y(2));
	assert.equal(scene.edges.length, 4);
});

test("labels take the first free place and never overlap", () => {
	const labels = new Labels();

	assert.deepEqual(labels.take([[0, 0]], 30, 14), [0, 0]);
	// the first place is taken, the second is right behind it
	assert.deepEqual(
		labels.take(
			[
				[20, 5],
				[30, 5],
			],
			30,
			14,
		),
		[30, 5],
	);
	assert.equal(labels.take([[10, 10]], 30, 14), null);
	// a label that found no place takes none
	assert.deepEqual(labels.take([[10, 20]], 30, 14), [10, 20]);
});
