// The part of the URL behind # that every kind of document shares: the view and the options.

export type Options = Record<string, string>;

export interface Link {
	view?: string; // id
	options: Options; // "regions.mode" -> "count", as o.regions.mode=count
}

export function printLink(l: Link, p: URLSearchParams): void {
	if (l.view) p.set("view", l.view);
	for (const [k, v] of Object.entries(l.options)) p.set(`o.${k}`, v);
}

export function parseLink(p: URLSearchParams): Link {
	const options: Options = {};

	for (const [k, v] of p) if (k.startsWith("o.")) options[k.slice(2)] = v;
	return { view: p.get("view") ?? undefined, options };
}

/** A number that is not negative; undefined for any other text. */
export function numberIn(text: string | null): number | undefined {
	return text !== null && /^\d+(\.\d+)?$/.test(text) ? Number(text) : undefined;
}

/** A whole number from low to high; `otherwise` for any other text. */
export function wholeIn(
	text: string,
	low: number,
	high: number,
	otherwise: number,
): number {
	const n = /^\d+$/.test(text) ? Number(text) : NaN;

	return n >= low && n <= high ? n : otherwise;
}

/** "3,1": numbers of things of which there are `count`, each once. */
export function indicesIn(text: string, count: number): number[] {
	const all = text.split(",").map((x) => wholeIn(x, 0, count - 1, -1));

	return [...new Set(all)].filter((n) => n >= 0);
}

/** "100-200" */
export function windowIn(text: string | null): { from: number; to: number } | undefined {
	const m = text?.match(/^(\d+)-(\d+)$/);

	return m && Number(m[1]) < Number(m[2])
		? { from: Number(m[1]), to: Number(m[2]) }
		: undefined;
}
