// The command search of samples: text in, commands out, the likeliest first. A command is
// show, hide, select, correlate or help, about groups (groups.ts). The verb may be missing;
// "with" stands between two groups; numbers behind a group are a range of its axis.
import type { Group } from "./groups";
import { word } from "./selection";
import { isNames, type SamplesInfo } from "./table";
import { phraseScore, wordScore, wordsOf } from "./words";

export type Verb = "show" | "hide" | "select" | "correlate" | "help";

export interface Ask {
	verb: Verb;
	title: string; // "correlate L2 TLB miss with load latency"
	side: string;
	axes: number[];
	select: string | null; // null: the selection stays
	about: string;
	score: number;
}

export interface World {
	info: SamplesInfo;
	shown: number[]; // visible axes
	groups: Group[];
}

const VERBS: [Verb, string[]][] = [
	["show", ["show", "add"]],
	["hide", ["hide", "remove"]],
	["select", ["select", "find", "filter"]],
	["correlate", ["correlate", "compare"]],
	["help", ["help", "explain", "what"]],
];
const WITH = new Set(["with", "vs", "versus", "against"]);
const MOST = 12;

interface Range {
	low: number;
	high: number | null;
	op: string; // ">", "" ...
}

interface Block {
	words: string[];
	range: Range | null;
}

interface Found {
	group: Group;
	score: number;
	range: Range | null;
}

interface Token {
	text: string;
	number: number | null;
	op: string;
}

/** Words, numbers, and signs of comparison; "100..200" is two numbers. */
function tokens(text: string): Token[] {
	const list: Token[] = [];
	let op = "";

	for (const m of text.matchAll(/(>=|<=|>|<|=)|([^\s<>=]+)/g)) {
		if (m[1]) {
			op = m[1];
			continue;
		}
		for (const part of m[2]!.split("..").filter(Boolean)) {
			const number = /^-?\d+(\.\d+)?[kKmM]?$/.test(part)
				? Number(part.replace(/[kKmM]$/, "")) *
					(/[kK]$/.test(part) ? 1e3 : /[mM]$/.test(part) ? 1e6 : 1)
				: null;

			list.push({ text: part, number, op });
			op = "";
		}
	}
	return list;
}

/** Blocks of meaning: "with" and a number end a block. */
function blocks(list: Token[]): Block[] {
	const out: Block[] = [];
	let now: Block = { words: [], range: null };
	const end = () => {
		if (now.words.length || now.range) out.push(now);
		now = { words: [], range: null };
	};

	for (const t of list) {
		if (WITH.has(t.text.toLowerCase())) end();
		else if (t.number !== null && now.words.length) {
			if (!now.range) now.range = { low: t.number, high: null, op: t.op };
			else now.range.high ??= t.number;
		} else if (t.text.toLowerCase() === "to" && now.range) continue;
		else {
			if (now.range) end();
			now.words.push(...wordsOf(t.text));
		}
	}
	end();
	return out;
}

/** The verbs that a first word may mean, with how well. */
function verbsOf(text: string): [Verb, number][] {
	return VERBS.map(
		([verb, names]) =>
			[
				verb,
				Math.max(
					...names.map((n) =>
						n.startsWith(text) || text.length > 3 ? wordScore(text, n) : 0,
					),
				),
			] as [Verb, number],
	).filter(([, score]) => score > 0);
}

/*
 * Groups that words mean, the likeliest first. A name that is met beats one that is only
 * begun; among names that are begun alike, the usual ones come first.
 */
function find(b: Block, w: World): Found[] {
	if (!b.words.length)
		return w.groups
			.map((group) => ({ group, score: 0.3 * group.weight, range: b.range }))
			.sort((a, c) => c.score - a.score);
	return w.groups
		.map((group) => ({
			group,
			score: Math.max(
				...[group.name, ...group.phrases].map(
					(p, i) => phraseScore(b.words, wordsOf(p)) * (i ? 0.995 : 1),
				),
			),
			range: b.range,
		}))
		.filter((f) => f.score > 0)
		.map((f) => ({ ...f, score: f.score + 0.12 * f.group.weight }))
		.sort((a, c) => c.score - a.score);
}

function rangeOf(f: Found, info: SamplesInfo): string | null {
	const c = info.columns[f.group.axis];

	if (!f.range || !c || isNames(c)) return null;
	const { low, high, op } = f.range;
	const name = word(c.column);
	if (high !== null) return `${name} ${Math.min(low, high)}..${Math.max(low, high)}`;
	return `${name} ${op || "="} ${low}`;
}

/** The samples that a group means, with its range; null: it is an axis. */
function selectionOf(f: Found, info: SamplesInfo): string | null {
	return rangeOf(f, info) ?? f.group.select;
}

function nameOf(f: Found): string {
	const r = f.range;

	if (!r) return f.group.name;
	return `${f.group.name} ${r.high !== null ? `${r.low} to ${r.high}` : `${r.op ? `${r.op} ` : ""}${r.low}`}`;
}

function selectAsk(f: Found, w: World, score: number): Ask[] {
	const select = selectionOf(f, w.info);

	if (select === null) return [];
	const ask = {
		verb: "select" as const,
		title: `select ${nameOf(f)}`,
		side: select,
		axes: f.group.axis >= 0 ? [f.group.axis] : [],
		select,
		about: f.group.about,
		score,
	};
	// one number alone may be a threshold
	const r = f.range;
	if (!r || r.high !== null || r.op) return [ask];
	const name = word(w.info.columns[f.group.axis]!.column);
	return [
		ask,
		{
			...ask,
			title: `select ${f.group.name} of ${r.low} and more`,
			side: `${name} >= ${r.low}`,
			select: `${name} >= ${r.low}`,
			score: score - 0.001,
		},
	];
}

function axisAsk(f: Found, verb: "show" | "hide", w: World, score: number): Ask[] {
	const column = w.info.columns[f.group.axis];

	if (!column || w.shown.includes(f.group.axis) !== (verb === "hide")) return [];
	return [
		{
			verb,
			title: `${verb} ${f.group.select === null ? f.group.name : column.column}`,
			side: `axis ${column.column}`,
			axes: [f.group.axis],
			select: null,
			about: f.group.about,
			score,
		},
	];
}

function correlateAsk(a: Found, b: Found, w: World, score: number): Ask[] {
	if (a.group.axis < 0 || b.group.axis < 0 || a.group.axis === b.group.axis) return [];
	const parts = [a, b]
		.filter((f) => f.range || f.group.phrases[0]?.endsWith(` ${f.group.name}`))
		.map((f) => selectionOf(f, w.info))
		.filter((x): x is string => x !== null);

	return [
		{
			verb: "correlate",
			title: `correlate ${nameOf(a)} with ${nameOf(b)}`,
			side: parts.length ? parts.join(" and ") : "puts both axes side by side",
			axes: [a.group.axis, b.group.axis],
			select: parts.length ? parts.join(" and ") : null,
			about: a.group.about,
			score,
		},
	];
}

function helpAsk(f: Found, score: number): Ask {
	return {
		verb: "help",
		title: `help ${f.group.name}`,
		side: f.group.about,
		axes: [],
		select: null,
		about: f.group.about,
		score,
	};
}

/** What people most want to know about a phenomenon: where, who, served by what, how slow. */
function partners(w: World): Found[] {
	return ["line", "cpu", "level", "latency"].flatMap((role) => {
		const group = w.groups.find(
			(g) => g.select === null && w.info.columns[g.axis]?.role === role,
		);

		return group ? [{ group, score: 1, range: null }] : [];
	});
}

/** All commands with one verb for these blocks; `sure` is how certain the verb is. */
function withVerb(verb: Verb, list: Block[], w: World, sure: number): Ask[] {
	const first = find(list[0] ?? { words: [], range: null }, w).slice(0, 2 * MOST);

	if (list[0]?.words.length && !first.length) return [];
	const score = (f: Found) => f.score * sure;
	if (verb === "select") return first.flatMap((f) => selectAsk(f, w, score(f)));
	if (verb === "show" || verb === "hide")
		return first.flatMap((f) => axisAsk(f, verb, w, score(f)));
	if (verb === "help") return first.map((f) => helpAsk(f, score(f)));
	if (list.length > 1) return pairs(list, w, sure);
	const others = partners(w);
	const asked = !!list[0]?.words.length;
	// each group with one partner, then each with the next
	return first.slice(0, 6).flatMap((f) =>
		others.flatMap((o, k) => {
			// of two groups that are begun alike the first partner of each comes first
			const far = asked ? 0.03 : 0.01;

			return correlateAsk(f, o, w, score(f) - far * k);
		}),
	);
}

function pairs(list: Block[], w: World, sure: number): Ask[] {
	const [a, b] = [find(list[0]!, w).slice(0, MOST), find(list[1]!, w).slice(0, MOST)];

	return a.flatMap((x) =>
		b.flatMap((y) => correlateAsk(x, y, w, ((x.score + y.score) / 2) * sure)),
	);
}

/** No verb was typed: what is likeliest to be done with a group of this sort. */
function withoutVerb(list: Block[], w: World): Ask[] {
	if (list.length > 1) return pairs(list, w, 1);
	const found = find(list[0]!, w).slice(0, 2 * MOST);

	return found.flatMap((f, i) => [
		...selectAsk(f, w, f.score),
		...(f.group.select === null && !f.range
			? [
					...axisAsk(f, "show", w, f.score - 0.004),
					...axisAsk(f, "hide", w, f.score - 0.004),
				]
			: []),
		...(i < 4 && !f.range
			? partners(w).flatMap((o, k) => correlateAsk(f, o, w, f.score - 0.06 - 0.015 * k))
			: []),
	]);
}

/** The commands that a text may mean, the likeliest first, at most `most`. */
export function ask(text: string, w: World, most = MOST): Ask[] {
	const list = tokens(text.trim());
	const first = list[0]?.text.toLowerCase() ?? "";
	const best = new Map<string, Ask>();

	if (!list.length) return [];
	const open = /\b(with|vs|versus|against)\s*$/i.test(text);
	const blocked = (b: Block[]): Block[] =>
		open && b.length === 1 ? [...b, { words: [], range: null }] : b;
	const all = [
		...withoutVerb(blocked(blocks(list)), w),
		...verbsOf(first).flatMap(([verb, score]) =>
			withVerb(verb, blocked(blocks(list.slice(1))), w, score + 0.1),
		),
	];
	for (const a of all) {
		const known = best.get(a.title);

		if (!known || known.score < a.score) best.set(a.title, a);
	}
	return [...best.values()].sort((a, b) => b.score - a.score).slice(0, most);
}
