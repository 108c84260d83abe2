// A selection: the references that have all of the given properties. Requests
// (docs/api.md) and the URL use the same words.

export interface Selection {
	file?: number; // with line
	line?: number;
	func?: string;
	region?: number;
	offset?: [number, number]; // bytes of the region, the second not included
	thread?: number;
	kind?: "read" | "write" | "fetch";
	level?: number; // served by; levels + 1 is memory
	cause?: string;
}

export type Params = Record<string, string | number | undefined>;

export const nothing: Selection = {};

export function isNothing(s: Selection): boolean {
	return Object.values(s).every((v) => v === undefined);
}

/** Parameters of a request. */
export function selectionParams(s: Selection): Params {
	return {
		line: s.line !== undefined ? `${s.file ?? 0}:${s.line}` : undefined,
		func: s.func,
		region: s.region,
		offset: s.offset ? `${s.offset[0]}-${s.offset[1]}` : undefined,
		thread: s.thread,
		kind: s.kind,
		level: s.level,
		cause: s.cause,
	};
}

/** The text in the URL: "line=0:12,region=3"; names are escaped. */
export function selectionText(s: Selection): string {
	return Object.entries(selectionParams(s))
		.filter(([, v]) => v !== undefined)
		.map(([k, v]) => `${k}=${encodeURIComponent(String(v)).replace(/%3A/g, ":")}`)
		.join(",");
}

/** Parses the text of selectionText(); leaves out parts that it does not understand. */
export function parseSelection(text: string): Selection {
	const s: Selection = {};

	for (const part of text.split(",")) {
		const cut = part.indexOf("=");
		if (cut < 0) continue;
		const key = part.slice(0, cut);
		const value = decodeURIComponent(part.slice(cut + 1));
		const pair = value.match(/^(\d+)[:-](\d+)$/);

		if (key === "line" && pair) [s.file, s.line] = [Number(pair[1]), Number(pair[2])];
		else if (key === "offset" && pair) s.offset = [Number(pair[1]), Number(pair[2])];
		else if (key === "func" || key === "cause") s[key] = value;
		else if (key === "kind" && /^(read|write|fetch)$/.test(value))
			s.kind = value as "read";
		else if (
			(key === "region" || key === "thread" || key === "level") &&
			/^\d+$/.test(value)
		)
			s[key] = Number(value);
	}
	return s;
}

export function sameSelection(a: Selection, b: Selection): boolean {
	return selectionText(a) === selectionText(b);
}

export interface Names {
	file(file: number): string;
	region(region: number): string;
	level(level: number): string;
}

/** "reads of A at matmul.c:33 served by memory", one chip a part. */
export function selectionWords(
	s: Selection,
	names: Names,
): { part: keyof Selection; text: string }[] {
	const out: { part: keyof Selection; text: string }[] = [];

	if (s.kind)
		out.push({
			part: "kind",
			text: { read: "reads", write: "writes", fetch: "fetches" }[s.kind],
		});
	if (s.line !== undefined)
		out.push({ part: "line", text: `${names.file(s.file ?? 0)}:${s.line}` });
	if (s.func) out.push({ part: "func", text: `${s.func}()` });
	if (s.region !== undefined) out.push({ part: "region", text: names.region(s.region) });
	if (s.offset) out.push({ part: "offset", text: `bytes ${s.offset[0]}–${s.offset[1]}` });
	if (s.thread !== undefined) out.push({ part: "thread", text: `thread ${s.thread}` });
	if (s.level !== undefined)
		out.push({ part: "level", text: `from ${names.level(s.level)}` });
	if (s.cause) out.push({ part: "cause", text: `${s.cause.replace("_", " ")} misses` });
	return out;
}

/** The selection without one of its parts. */
export function without(s: Selection, part: keyof Selection): Selection {
	const rest = { ...s };

	delete rest[part];
	if (part === "line") delete rest.file;
	if (part === "region") delete rest.offset;
	return rest;
}
