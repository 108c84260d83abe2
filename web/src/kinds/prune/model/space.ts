// Search spaces as docs/api.md has them, and what selects variants of one.

export interface Constraint {
	name: string;
	kind: "hard" | "soft";
	text: string | null; // its expression
	about: string | null; // a sentence
	bit: number; // in masks
	eliminated: number; // variants
	alone: number; // of these, the ones that no other constraint eliminates
	reached: number; // variants that the constraints before it leave
	relative: number; // of these, the ones that it eliminates
	implied_by: string[];
}

export interface Space {
	name: string;
	variants: number;
	survivors: number;
	combinations: number;
	engine: "native" | "interpreter" | "none";
	described: boolean; // false: a table of combinations, whose variants are not known
	parameters?: { name: string; least: number; greatest: number; words: boolean }[];
	constraints: Constraint[]; // in the order that was asked for
	smallest_set: string[];
	nearest_miss_fails: number;
	pairs: { first: string; second: string; both: number }[];
}

export type Value = string | number;
export interface Variant {
	values: Record<string, Value>;
	fails: string[];
	distance?: number;
}
export interface Variants {
	total: number;
	rows: Variant[];
}

export interface Distribution {
	name: string;
	first: number;
	width: number; // values of a bin
	counts: number[];
	words?: string[]; // of the bins
}

export interface Tuned {
	ensemble: number | null; // number of the document with the results
	machine: string | null;
	simulated: number;
	variants: {
		values: Record<string, Value>;
		cycles: number;
		references: number;
		member: number;
		mask: number;
	}[];
	best: number;
	removals: { constraint: string; removed: number; first: number }[];
}

export interface Progress {
	prune: number;
	state: "running" | "ready" | "failed" | "cancelled";
	done: number;
	total: number;
	error: string | null;
}

/** 0.59064 is "59.06 %", as in the paper; small shares keep two digits: "0.0014 %". */
export function share(part: number, whole: number | undefined): string {
	const p = whole ? (100 * part) / whole : 0;

	return `${p === 0 ? "0" : p >= 0.1 ? p.toFixed(2) : Number(p.toPrecision(2))} %`;
}

/** Results of some constraints; the variants that agree with all of them are meant. */
export type Where = { name: string; fails: boolean }[];

export function printWhere(w: Where): string {
	return w.map((x) => (x.fails ? "" : "!") + x.name).join(",");
}

/** Names that the space does not have are left out. */
export function parseWhere(text: string, names: string[]): Where {
	return text
		.split(",")
		.map((t) => ({ name: t.replace(/^!/, ""), fails: !t.startsWith("!") }))
		.filter(
			(x, i, all) =>
				names.includes(x.name) && all.findIndex((y) => y.name === x.name) === i,
		);
}

/** The variants that pass everything. */
export function survivors(space: Space): Where {
	return space.constraints.map((c) => ({ name: c.name, fails: false }));
}

/** The variants of a combination: exactly the constraints of the mask fail. */
export function combination(space: Space, mask: number): Where {
	return space.constraints.map((c) => ({
		name: c.name,
		fails: ((mask >> c.bit) & 1) === 1,
	}));
}

/** In words: "fails a; passes b and c". */
export function sayWhere(w: Where): string {
	const list = (names: string[]) =>
		names.length < 2
			? names.join("")
			: `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
	const fails = w.filter((x) => x.fails).map((x) => x.name);
	const passes = w.filter((x) => !x.fails).map((x) => x.name);

	return [
		...(fails.length ? [`fails ${list(fails)}`] : []),
		...(passes.length ? [`passes ${list(passes)}`] : []),
	].join("; ");
}

/** A sentence in lines of at most so many letters. */
export function wrap(text: string, width = 46): string[] {
	const lines: string[] = [];

	for (const word of text.split(/\s+/)) {
		const last = lines.at(-1);

		if (last !== undefined && last.length + word.length < width)
			lines[lines.length - 1] = `${last} ${word}`;
		else lines.push(word);
	}
	return lines;
}

/** What the hard constraints are, in the order of the file: the rings to begin with. */
export function usualRings(space: Space): string[] {
	const byBit = [...space.constraints].sort((a, b) => a.bit - b.bit);
	const hard = byBit.filter((c) => c.kind === "hard");

	return (hard.length ? hard : byBit).map((c) => c.name);
}

/*
 * The rings after `name` was put at place `at` of the list (0: the innermost ring), or
 * hidden if `at` is null.
 */
export function moveRing(rings: string[], name: string, at: number | null): string[] {
	const from = rings.indexOf(name);
	const rest = rings.filter((r) => r !== name);

	if (at === null) return rest;
	const to = from >= 0 && from < at ? at - 1 : at;
	return [...rest.slice(0, to), name, ...rest.slice(to)];
}
