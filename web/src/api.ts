// The typed client of docs/api.md: the only file that calls the server.
import { decodeColumns, numbers, type Columns } from "./model/columns";
import {
	curveParams,
	type Curves,
	type CurveQuery,
	type Ensemble,
	type Matching,
	type Ranking,
	type Second,
	type WorkingSet,
} from "./kinds/ensemble/model/ensemble";
import {
	selectionParams,
	type Params,
	type Selection,
} from "./kinds/trace/model/selection";
import type { Scores } from "./kinds/trace/model/temperature";
import type {
	At,
	Datum,
	LineCount,
	LineServed,
	Open,
	Region,
	SelectAnswer,
	Sim,
	Spans,
	StateLevel,
	Tables,
	Timeline,
	Trace,
	Window,
} from "./model/types";

/** A sentence of the server, or what went wrong on the way to it. */
export class ApiError extends Error {
	constructor(
		readonly status: number, // of HTTP; 0: no answer came
		readonly kind: string,
		text: string,
	) {
		super(text);
	}
}

export type Connection = "ok" | "lost" | "ended" | "refused";

const TOKEN = "memlamp.token";

/*
 * The token comes with the printed address. It moves from there into the session's
 * storage, so that it is in no bookmark or screenshot and a reload still has it.
 */
function takeToken(): string {
	const url = new URL(location.href);
	const given = url.searchParams.get("token");

	if (given) {
		sessionStorage.setItem(TOKEN, given);
		url.searchParams.delete("token");
		history.replaceState(null, "", url);
	}
	return given ?? sessionStorage.getItem(TOKEN) ?? "";
}

const token = takeToken();
let tellConnection: (c: Connection) => void = () => {};

/** The address that opens this page as it is in another tab or browser. */
export function shareable(): string {
	const url = new URL(location.href);

	url.searchParams.set("token", token);
	return url.href;
}

function address(route: string, params: Params = {}): string {
	const query = Object.entries(params)
		.filter(([, v]) => v !== undefined)
		.map(([k, v]) => `${k}=${encodeURIComponent(String(v))}`)
		.join("&");

	return `/api/${route}${query ? `?${query}` : ""}`;
}

async function request(url: string, init: RequestInit = {}): Promise<Response> {
	let answer: Response;

	try {
		answer = await fetch(url, {
			...init,
			headers: { "X-Memlamp-Token": token },
		});
	} catch (e) {
		if ((e as Error).name === "AbortError") throw e;
		tellConnection("lost");
		throw new ApiError(0, "io", "memlamp does not answer");
	}
	if (answer.ok) return answer;
	const body = await answer.json().catch(() => undefined);
	if (answer.status === 403) tellConnection("refused");
	throw new ApiError(
		answer.status,
		body?.error?.kind ?? "io",
		body?.error?.text ?? `${url.split("?")[0]}: the server answers ${answer.status}`,
	);
}

async function json<T>(route: string, params?: Params, signal?: AbortSignal): Promise<T> {
	return (await request(address(route, params), { signal })).json() as Promise<T>;
}

async function columns(
	route: string,
	params?: Params,
	signal?: AbortSignal,
): Promise<Columns> {
	return decodeColumns(
		await (await request(address(route, params), { signal })).arrayBuffer(),
	);
}

function times(w?: Window): Params {
	return w ? { from: w.from, to: w.to } : {};
}

function spans(header: Record<string, unknown>): Spans {
	const { from, to, first, width, cells, levels } = header as unknown as Spans;

	return { from, to, first, width, cells, levels };
}

/** How an answer about an ensemble cuts common time into cells. */
function commonSpan(header: Record<string, unknown>) {
	const { from, to, end, cells, unit } = header as unknown as Curves;

	return { from, to, end, cells, unit: unit ?? "" };
}

/** True for what a request throws when it was aborted; that is no error. */
export function isAbort(e: unknown): boolean {
	return e instanceof Error && e.name === "AbortError";
}

/** A line of code that references of an answer belong to. */
export interface Site {
	file: number | null;
	line: number;
	func: string;
	own: boolean;
}

export type CellsMode =
	| "last"
	| "count"
	| "served"
	| "reuse"
	| "distance"
	| "used"
	| "first";

/** A window so long that a first impression is worth an extra question... */
export const LONG = 4_000_000;
/** ...which has so many milliseconds. */
export const HURRY = 40;
export type StepBy =
	| "reference"
	| "line"
	| "phase"
	| "miss"
	| "first"
	| "region"
	| "selection";

export const api = {
	open: (signal?: AbortSignal) => json<Open>("open", {}, signal),
	/** `soon`: at once, also while the trace is still being counted. */
	trace: (t: number, s?: AbortSignal, soon = false) =>
		json<Trace>(`traces/${t}`, soon ? { soon: 1 } : {}, s),
	regions: async (t: number, s?: AbortSignal) =>
		(await json<{ regions: Region[] }>(`traces/${t}/regions`, {}, s)).regions,
	source: async (t: number, file: number, signal?: AbortSignal) =>
		(await request(address(`traces/${t}/source`, { file }), { signal })).text(),
	counts: async (t: number, s?: AbortSignal) =>
		(await json<{ lines: LineCount[] }>(`traces/${t}/counts`, {}, s)).lines,

	simulate: async (trace: number, machine: string): Promise<Sim> =>
		(await request(address("sims", { trace, machine }), { method: "POST" })).json(),
	sim: (n: number, s?: AbortSignal) => json<Sim>(`sims/${n}`, {}, s),
	cancel: async (n: number) =>
		void (await request(`/api/sims/${n}`, { method: "DELETE" })),
	profile: (n: number, top?: number, s?: AbortSignal) =>
		json<Tables>(`sims/${n}/profile`, { top }, s),
	lines: async (n: number, file: number, w?: Window, s?: AbortSignal) =>
		(await json<{ lines: LineServed[] }>(`sims/${n}/lines`, { file, ...times(w) }, s))
			.lines,

	timeline: async (
		n: number,
		w: Window,
		cells: number,
		sel?: Selection,
		s?: AbortSignal,
	): Promise<Timeline> => {
		const params = { ...times(w), cells, ...(sel ? selectionParams(sel) : {}) };
		const { header, column } = await columns(`sims/${n}/timeline`, params, s);
		return {
			...spans(header),
			until: header["until"] as number,
			served: column["served"] as Float64Array,
		};
	},
	temperature: async (
		n: number,
		w: Window,
		cells: number,
		scores?: Scores,
		s?: AbortSignal,
	) => {
		const { header, column } = await columns(
			`sims/${n}/temperature`,
			{ ...times(w), cells, ...scores },
			s,
		);
		return {
			...spans(header),
			window: header["window"] as number,
			temperature: column["temperature"] as Float32Array,
		};
	},
	refs: async (n: number, from: number, count: number, s?: AbortSignal) => {
		const { header, column: c } = await columns(`sims/${n}/refs`, { from, count }, s);
		return {
			from: header["from"] as number,
			count: header["count"] as number,
			sites: header["sites"] as Site[], // what `site` counts
			blocks: header["blocks"] as { block: number; addr: string; size: number }[],
			addr: c["addr"] as BigUint64Array,
			offset: numbers(c["offset"] as BigUint64Array),
			region: c["region"] as Uint32Array,
			block: c["block"] as Uint32Array,
			site: c["site"] as Uint32Array,
			what: c["what"] as Uint16Array,
			thread: c["thread"] as Uint16Array,
			outcome: c["outcome"] as Uint16Array,
			core: c["core"] as Uint16Array,
		};
	},
	moves: async (n: number, from: number, count: number, s?: AbortSignal) => {
		const { header, column: c } = await columns(`sims/${n}/moves`, { from, count }, s);
		return {
			from: header["from"] as number,
			count: header["count"] as number,
			line: c["line"] as BigUint64Array,
			access: c["access"] as Uint32Array,
			set: c["set"] as Uint32Array,
			way: c["way"] as Uint16Array,
			kind: c["kind"] as Uint8Array,
			source: c["from"] as Uint8Array,
			target: c["to"] as Uint8Array,
			core: c["core"] as Uint8Array,
			other: c["other"] as Uint8Array,
		};
	},
	/** Levels of more than `slots` lines are told in groups of sets. */
	state: async (
		n: number,
		at: number,
		slots?: number,
		groups?: number,
		s?: AbortSignal,
		scores?: Scores,
	) => {
		const { header, column: c } = await columns(
			`sims/${n}/state`,
			{ at, slots, groups, ...scores },
			s,
		);
		return {
			at: header["at"] as number,
			levels: header["levels"] as StateLevel[],
			line: c["line"] as BigUint64Array,
			rank: c["rank"] as Uint32Array,
			region: c["region"] as Uint32Array,
			offset: numbers(c["offset"] as BigUint64Array), // above 2^53: unknown
			since: numbers(c["since"] as BigUint64Array),
			flags: c["flags"] as Uint8Array,
			state: c["state"] as Uint8Array,
			held: c["held"] as Uint32Array,
			dirty: c["dirty"] as Uint32Array,
			owner: c["owner"] as Uint32Array,
			newest: numbers(c["newest"] as BigUint64Array),
			temperature: c["temperature"] as Float32Array,
		};
	},
	/** Who served the last access to each cell before `at`, in the order of `cuts`. */
	last: async (
		n: number,
		at: number,
		cuts: { region: number; size: number; cells: number }[],
		s?: AbortSignal,
	) => {
		const cells = cuts.map((c) => `${c.region}:${c.size}:${c.cells}`).join(",");
		const { column } = await columns(`sims/${n}/last`, { at, cells }, s);
		return column["served"] as Uint8Array;
	},
	/** Columns differ by mode: see docs/api.md. */
	cells: (
		n: number,
		q: {
			region?: number;
			grids?: string; // instead: as of gridsParam
			mode: CellsMode;
			of?: number; // level that mode used is about
			hurry?: number;
			cells?: number;
			size?: number;
			first?: number;
			pitch?: number;
			rows?: number;
		} & Partial<Window>,
		s?: AbortSignal,
		sel?: Selection,
	) => columns(`sims/${n}/cells`, { ...(sel ? selectionParams(sel) : {}), ...q }, s),
	plane: (
		n: number,
		q: {
			region: number;
			columns: number;
			rows: number;
			first?: number;
			bytes?: number;
			hurry?: number;
		} & Partial<Window>,
		s?: AbortSignal,
	) => columns(`sims/${n}/plane`, q, s),
	space: (n: number, w: Window, rows: number, hurry?: number, s?: AbortSignal) =>
		columns(`sims/${n}/space`, { ...times(w), rows, hurry }, s),
	map: async (n: number, w: Window, cells: number, s?: AbortSignal) => {
		const { header, column } = await columns(`sims/${n}/map`, { ...times(w), cells }, s);
		return {
			...spans(header),
			served: column["served"] as Uint8Array,
			mean: column["mean"] as Float32Array,
		};
	},

	step: async (
		n: number,
		at: number,
		by: StepBy,
		dir: 1 | -1,
		more: Params = {},
		s?: AbortSignal,
	) =>
		(await json<{ at: number | null }>(`sims/${n}/step`, { at, by, dir, ...more }, s)).at,
	at: (n: number, time: number, s?: AbortSignal) => json<At>(`sims/${n}/at`, { time }, s),
	datum: (
		n: number,
		q: { region: number; offset: number; size: number; around?: number; count?: number },
		s?: AbortSignal,
	) => json<Datum>(`sims/${n}/datum`, q, s),
	select: (n: number, sel: Selection, w?: Window, cells?: number, s?: AbortSignal) =>
		json<SelectAnswer>(
			`sims/${n}/select`,
			{ ...selectionParams(sel), ...times(w), cells },
			s,
		),
	findings: (n: number, s?: AbortSignal) => json<Tables>(`sims/${n}/findings`, {}, s),
	diff: (a: number, b: number, s?: AbortSignal) => json<Tables>("diff", { a, b }, s),
	/** Where two simulations are served differently; `match` is that of matchedTime.ts. */
	differ: async (
		a: number,
		b: number,
		w: Window,
		cells: number,
		match?: string,
		s?: AbortSignal,
	) => {
		const { header, column: c } = await columns(
			"differ",
			{ a, b, ...times(w), cells, match },
			s,
		);
		return {
			...spans(header),
			paired: header["paired"] as boolean,
			nearerA: c["nearer_a"] as Float64Array,
			nearerB: c["nearer_b"] as Float64Array,
		};
	},
	differStep: async (a: number, b: number, at: number, dir: 1 | -1, s?: AbortSignal) =>
		(await json<{ at: number | null }>("differ/step", { a, b, at, dir }, s)).at,
	/** What two simulations hold at a moment each; groups are sets of large levels. */
	differMoment: async (
		a: number,
		b: number,
		q: {
			at: number;
			other: number;
			tail: number;
			most: number;
			group_a: string;
			group_b: string;
		},
		s?: AbortSignal,
	) => {
		const { header: h, column: c } = await columns("differ/moment", { a, b, ...q }, s);
		return {
			at: h["at"] as number,
			other: h["other"] as number,
			paired: h["paired"] as boolean,
			levels: h["levels"] as number,
			pairs: h["pairs"] as number,
			elsewhere: [h["elsewhere_a"] as number, h["elsewhere_b"] as number] as const,
			resident: numbers(c["resident"] as BigUint64Array),
			bytes: c["bytes"] as Uint32Array,
			region: c["region"] as Uint32Array,
			offset: numbers(c["offset"] as BigUint64Array),
			levelA: c["level_a"] as Uint8Array,
			levelB: c["level_b"] as Uint8Array,
			setA: c["set_a"] as Uint32Array,
			setB: c["set_b"] as Uint32Array,
			wayA: c["way_a"] as Uint32Array,
			wayB: c["way_b"] as Uint32Array,
			servedA: (c["served_a"] as Uint8Array | undefined) ?? new Uint8Array(0),
			servedB: (c["served_b"] as Uint8Array | undefined) ?? new Uint8Array(0),
			groupsA: c["groups_a"] as Float64Array,
			groupsB: c["groups_b"] as Float64Array,
		};
	},

	ensemble: (n: number, s?: AbortSignal) => json<Ensemble>(`ensembles/${n}`, {}, s),
	matching: (n: number, q: CurveQuery, s?: AbortSignal) =>
		json<Matching>(`ensembles/${n}/matching`, curveParams(q), s),
	curves: async (
		n: number,
		q: CurveQuery,
		members: number[],
		w: Window,
		cells: number,
		s?: AbortSignal,
	): Promise<Curves> => {
		const params = { ...curveParams(q), members: members.join(","), ...times(w), cells };
		const { header: h, column: c } = await columns(`ensembles/${n}/curves`, params, s);
		return {
			...commonSpan(h),
			members,
			mean: c["mean"] as Float32Array,
			low: c["low"] as Float32Array,
			high: c["high"] as Float32Array,
			deviation: c["deviation"] as Float32Array,
			average: c["average"] as Float32Array,
			spread: c["spread"] as Float32Array,
		};
	},
	ranking: (n: number, q: CurveQuery, w?: Window, s?: AbortSignal) =>
		json<Ranking>(`ensembles/${n}/table`, { ...curveParams(q), ...times(w) }, s),
	workingSet: async (
		n: number,
		q: CurveQuery,
		members: number[],
		more: { size: string; tolerance: number; cells: number } & Window,
		s?: AbortSignal,
	): Promise<WorkingSet> => {
		const { header: h, column: c } = await columns(
			`ensembles/${n}/workingset`,
			{ ...curveParams(q), members: members.join(","), ...more },
			s,
		);
		return { ...commonSpan(h), bytes: c["bytes"] as Float32Array };
	},
	second: async (
		n: number,
		q: CurveQuery,
		members: number[],
		more: {
			size: string;
			threads: number;
			total?: number;
			shift?: number;
			cells: number;
		} & Window,
		s?: AbortSignal,
	): Promise<Second> => {
		const { header: h, column: c } = await columns(
			`ensembles/${n}/second`,
			{ ...curveParams(q), members: members.join(","), ...more },
			s,
		);
		return {
			...commonSpan(h),
			ways: h["ways"] as number,
			threads: h["threads"] as number,
			total: h["total"] as number,
			shift: h["shift"] as number,
			mean: c["mean"] as Float32Array,
			low: c["low"] as Float32Array,
			high: c["high"] as Float32Array,
			member: c["member"] as Uint32Array,
			starved: c["starved"] as Uint32Array,
			value: c["value"] as Float32Array,
		};
	},
};

export interface Listener {
	sim(sim: Sim): void;
	connection(c: Connection): void;
	back(): void; // the server answers again after it was lost
}

/*
 * Listens for the rest of the page's life. When the server goes away it asks again
 * every second; EventSource alone would give up after an answer that is no stream.
 */
export function listen(l: Listener): void {
	let lost = false;
	let source: EventSource | undefined;

	const again = async () => {
		try {
			await api.open();
			source?.close();
			connect();
			l.connection("ok");
			if (lost) l.back();
			lost = false;
		} catch (e) {
			if (e instanceof ApiError && e.status === 403) return;
			setTimeout(again, 1000);
		}
	};
	const gone = (c: Connection) => {
		l.connection(c);
		if (lost || c === "refused") return;
		lost = true;
		source?.close();
		setTimeout(again, 1000);
	};
	const connect = () => {
		source = new EventSource(address("events", { token }));
		source.addEventListener("sim", (e) => l.sim(JSON.parse((e as MessageEvent).data)));
		source.addEventListener("bye", () => gone("ended"));
		source.onerror = () => gone("lost");
	};

	tellConnection = (c) => (c === "refused" ? l.connection(c) : gone(c));
	connect();
}
