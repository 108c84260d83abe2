// Selections as texts, which the server reads: "latency 100..200 and variable = m_x". The
// page puts texts together; sets of samples are the server's.
import { isNames, type SampleColumn } from "./table";

export type Mode = "narrow" | "new" | "add" | "xor";

const KEYWORDS = new Set(["and", "or", "xor", "not", "resource"]);

/** A name as one word of a selection. */
export function word(name: string): string {
	if (/^[A-Za-z_][\w.]*$/.test(name) && !KEYWORDS.has(name.toLowerCase())) return name;
	return name.includes('"') ? `'${name}'` : `"${name}"`;
}

/** Leaves out quotes that are not needed. */
export function tidy(text: string): string {
	return text.replace(/"([^"]*)"/g, (_, name: string) => word(name));
}

export function equals(column: string, value: string): string {
	return /^-?(0x[\da-f]+|\d+(\.\d+)?)$/i.test(value)
		? `${word(column)} = ${value}`
		: `${word(column)} = ${word(value)}`;
}

/** The value just below an edge, for a column of integers. */
function before(edge: string): string {
	const hex = edge.startsWith("0x");
	const v = (edge.startsWith("-") ? -BigInt(edge.slice(1)) : BigInt(edge)) - 1n;

	return hex ? `0x${v.toString(16)}` : v.toString();
}

/*
 * The samples in bins `from` to `to`, both included, of a column whose bins begin at
 * `edges`; the last edge is the highest value. The bin behind the last has the samples
 * without a value.
 */
export function rangeText(
	c: SampleColumn,
	edges: string[],
	from: number,
	to: number,
): string {
	const name = word(c.column);
	const bins = edges.length - 1;
	const last = Math.min(to, bins - 1);

	if (from >= bins) return isNames(c) ? `${name} = ""` : `not ${name} ${c.min}..${c.max}`;
	if (isNames(c)) {
		if (bins === c.names && from === last) return equals(c.column, edges[from]!);
		const all = c.names ?? bins;
		const low = Math.ceil((all * from) / bins);
		const high = Math.ceil((all * (last + 1)) / bins) - 1;
		return `${name} #${low}..#${high}`;
	}
	if (c.type === "real")
		return last === bins - 1
			? `${name} >= ${edges[from]}`
			: from === 0
				? `${name} < ${edges[last + 1]}`
				: `${name} >= ${edges[from]} and ${name} < ${edges[last + 1]}`;
	const high = last === bins - 1 ? edges[bins]! : before(edges[last + 1]!);
	return high === edges[from] ? `${name} = ${high}` : `${name} ${edges[from]}..${high}`;
}

/** The parts of a text that "and" joins; one part if it has "or" or "xor" outside. */
export function conjuncts(text: string): string[] {
	const parts: string[] = [];
	let [depth, from] = [0, 0];

	for (const m of text.matchAll(/"[^"]*"|'[^']*'|[()]|\b(and|or|xor)\b/gi)) {
		if (m[0] === "(") depth++;
		else if (m[0] === ")") depth--;
		else if (!m[1] || depth) continue;
		else if (m[1].toLowerCase() !== "and") return text.trim() ? [text.trim()] : [];
		else {
			parts.push(text.slice(from, m.index).trim());
			from = m.index + m[0].length;
		}
	}
	parts.push(text.slice(from).trim());
	return parts.filter(Boolean);
}

/** The column that a part is about; "" if it is about several. */
export function subject(part: string): string {
	const m = part.match(
		/^(?:not\s+)?("([^"]*)"|'([^']*)'|[^\s()=<>!~]+)\s*(?:[=<>!~]|[\d#-])/i,
	);

	return m ? (m[2] ?? m[3] ?? m[1]!).toLowerCase() : "";
}

function joined(parts: string[]): string {
	return parts.map((p) => (parts.length > 1 && hasOr(p) ? `(${p})` : p)).join(" and ");
}

/** Whether a text has "or" or "xor" outside of parentheses and quotes. */
function hasOr(text: string): boolean {
	let depth = 0;

	for (const m of text.matchAll(/"[^"]*"|'[^']*'|[()]|\b(or|xor)\b/gi)) {
		if (m[0] === "(") depth++;
		else if (m[0] === ")") depth--;
		else if (m[1] && !depth) return true;
	}
	return false;
}

/*
 * Combines a selection with another one. To narrow is to keep the samples that are in both;
 * a condition about the same column takes the place of the old one, and a condition that is
 * there already is taken back.
 */
export function combine(now: string, add: string, mode: Mode): string {
	if (!add || mode === "new") return add;
	if (mode === "add") return now ? `(${now}) or (${add})` : add;
	if (mode === "xor") return now ? `(${now}) xor (${add})` : `not (${add})`;
	const [old, fresh] = [conjuncts(now), conjuncts(add)];
	if (fresh.every((f) => old.includes(f)))
		return joined(old.filter((o) => !fresh.includes(o)));
	const subjects = new Set(fresh.map(subject).filter(Boolean));
	return joined([...old.filter((o) => !subjects.has(subject(o))), ...fresh]);
}

export function invert(text: string): string {
	if (!text) return "";
	const inner = text.match(/^not \((.*)\)$/s)?.[1];

	return inner !== undefined && balanced(inner) ? inner : `not (${text})`;
}

function balanced(text: string): boolean {
	let depth = 0;

	for (const c of text.replace(/"[^"]*"|'[^']*'/g, "")) {
		if (c === "(") depth++;
		else if (c === ")" && --depth < 0) return false;
	}
	return depth === 0;
}

/** The selection without one of its parts. */
export function without(text: string, part: string): string {
	return joined(conjuncts(text).filter((p) => p !== part));
}

/*
 * The bins that the conditions about a column leave, first and last; null if there are
 * none. `edges` as for rangeText().
 */
export function brushed(
	text: string,
	c: SampleColumn,
	edges: string[],
): [from: number, to: number] | null {
	const mine = conjuncts(text).filter((p) => subject(p) === c.column.toLowerCase());
	const bins = edges.length - 1;

	if (!mine.length || bins < 1) return null;
	for (const part of mine) {
		if (isNames(c)) {
			const numbers = part.match(/#(\d+)\.\.#(\d+)$/);
			const all = c.names ?? bins;
			const bin = (i: number) => Math.floor((i * bins) / all);

			if (numbers) return [bin(Number(numbers[1])), bin(Number(numbers[2]))];
			const name = part.match(/^\S+ = (?:"([^"]*)"|'([^']*)'|(\S+))$/);
			const at = edges.indexOf(name?.[1] ?? name?.[2] ?? name?.[3] ?? "", 0);
			if (at >= 0 && at < bins) return [at, at];
			continue;
		}
		const range = part.match(/(\S+?)\.\.(\S+)$/);
		const one = part.match(/ = (\S+)$/);
		const more = part.match(/ >=? (\S+)$/);
		const less = part.match(/ <=? (\S+)$/);
		const low = range?.[1] ?? one?.[1] ?? more?.[1] ?? edges[0]!;
		const high = range?.[2] ?? one?.[1] ?? less?.[1] ?? edges[bins]!;

		if (/^not\b/i.test(part)) continue;
		return [binOf(edges, low), binOf(edges, high)];
	}
	return null;
}

function binOf(edges: string[], value: string): number {
	const v = Number(value);
	let bin = 0;

	for (let i = 1; i < edges.length - 1 && Number(edges[i]) <= v; i++) bin = i;
	return bin;
}
