// Scopes as they are drawn. A chain of scopes with one child each is one box with several
// headers (the loops of a nest); a box has its content inside it, or is folded.
import type { FlowNode } from "./program";

export interface Block {
	id: number; // the outermost node of the chain
	chain: number[]; // nodes of the headers, the outermost first; empty: a computation alone
	work: number; // the computation, if the box has nothing else; -1: it has children
	children: Block[];
	depth: number;
	last: number; // the greatest number of a node in it
	works: number; // computations in it
}

export interface Tree {
	nodes: FlowNode[];
	children: number[][];
	root: Block;
	byId: Map<number, Block>;
	/** The box that a node is drawn in or as. */
	boxOf: Int32Array;
}

export function buildTree(nodes: FlowNode[]): Tree {
	const children: number[][] = nodes.map(() => []);
	const byId = new Map<number, Block>();
	const boxOf = new Int32Array(nodes.length);

	for (const n of nodes) if (n.parent !== undefined) children[n.parent]!.push(n.number);
	const build = (start: number, depth: number): Block => {
		const chain: number[] = [];
		let at = start;

		while (nodes[at]!.kind !== "work" && children[at]!.length === 1) {
			chain.push(at);
			at = children[at]![0]!;
		}
		const leaf = nodes[at]!.kind === "work" || !children[at]!.length;
		if (!leaf) chain.push(at);
		const below = leaf ? [] : children[at]!.map((c) => build(c, depth + 1));
		const box: Block = {
			id: start,
			chain,
			work: leaf ? at : -1,
			children: below,
			depth,
			last: Math.max(at, ...below.map((b) => b.last)),
			works: leaf ? 1 : below.reduce((n, b) => n + b.works, 0),
		};
		for (const n of chain) boxOf[n] = start;
		if (leaf) boxOf[at] = start;
		byId.set(start, box);
		return box;
	};
	// the function itself is the paper that everything is drawn on, however few children
	const below = nodes.length ? children[0]!.map((c) => build(c, 1)) : [];
	const root: Block = {
		id: 0,
		chain: [0],
		work: -1,
		children: below,
		depth: 0,
		last: nodes.length - 1,
		works: below.reduce((n, b) => n + b.works, 0),
	};
	byId.set(0, root);
	return { nodes, children, root, byId, boxOf };
}

/** Whether a box has anything that folding hides. */
export function folds(b: Block): boolean {
	return b.children.length > 0 || b.chain.length > 0;
}

/*
 * Folds: all boxes from a level on, and those that the person toggled. "3;12;45" is level 3,
 * and boxes 12 and 45 the other way round.
 */
export interface Folds {
	level: number;
	toggled: Set<number>;
}

export function parseFolds(text: string, usual: number): Folds {
	const [level, ...rest] = text.split(";");

	return {
		level: level && /^\d+$/.test(level) ? Number(level) : usual,
		toggled: new Set(rest.filter((x) => /^\d+$/.test(x)).map(Number)),
	};
}

export function printFolds(f: Folds): string {
	return [f.level, ...[...f.toggled].sort((a, b) => a - b)].join(";");
}

export function isFolded(f: Folds, b: Block): boolean {
	return b.id !== 0 && folds(b) && b.depth >= f.level !== f.toggled.has(b.id);
}

/** Boxes that are drawn when everything from a level on is folded. */
function drawnAt(b: Block, level: number): number {
	if (b.depth >= level) return 1;
	return b.children.reduce((n, c) => n + drawnAt(c, level), 1);
}

/** The deepest level that draws at most `max` boxes; at least 1. */
export function usualLevel(root: Block, max: number): number {
	let level = 1;

	while (level < 64 && drawnAt(root, level + 1) <= max) {
		if (drawnAt(root, level + 1) === drawnAt(root, level + 64)) return 64;
		level++;
	}
	return level;
}

/** Unfolds all boxes around a node, so that it is drawn. */
export function revealed(f: Folds, tree: Tree, node: number): Folds {
	const toggled = new Set(f.toggled);
	let b = tree.byId.get(tree.boxOf[node]!);

	// a scope may stay folded itself; a computation must be seen
	if (b && b.work !== node) b = parentBox(tree, b);
	for (; b; b = parentBox(tree, b))
		if (isFolded({ level: f.level, toggled }, b)) {
			if (toggled.has(b.id)) toggled.delete(b.id);
			else toggled.add(b.id);
		}
	return { level: f.level, toggled };
}

export function parentBox(tree: Tree, b: Block): Block | undefined {
	const parent = tree.nodes[b.id]!.parent;

	return parent === undefined ? undefined : tree.byId.get(tree.boxOf[parent]!);
}
