// The routes about traces and simulations (docs/api.md), typed.
import { columns, json, request, times } from "../../api";
import { numbers } from "../../model/columns";
import type { Params, Window } from "../../model/types";
import type { Angles, Cycles, PlaneMap } from "./model/cycles";
import type { Stride } from "./model/rowLength";
import { selectionParams, type Selection } from "./model/selection";
import type { Scores } from "./model/temperature";
import type {
	At,
	Datum,
	LineCount,
	LineServed,
	Region,
	SelectAnswer,
	Sim,
	Spans,
	StateLevel,
	Tables,
	Timeline,
	Trace,
} from "./model/types";

function spans(header: Record<string, unknown>): Spans {
	const { from, to, first, width, cells, levels } = header as unknown as Spans;

	return { from, to, first, width, cells, levels };
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

/** References from which on a window is worth an extra, coarse question first... */
export const LONG = 4_000_000;
/** ...which the server may take so many milliseconds for. */
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
	/** `soon`: the answer comes at once, also while the server still counts the trace. */
	trace: (t: number, s?: AbortSignal, soon = false) =>
		json<Trace>(`traces/${t}`, soon ? { soon: 1 } : {}, s),
	regions: async (t: number, s?: AbortSignal) =>
		(await json<{ regions: Region[] }>(`traces/${t}/regions`, {}, s)).regions,
	source: async (t: number, file: number, signal?: AbortSignal) =>
		(await request("GET", `traces/${t}/source`, { file }, signal)).text(),
	counts: async (t: number, s?: AbortSignal) =>
		(await json<{ lines: LineCount[] }>(`traces/${t}/counts`, {}, s)).lines,

	/** What recurs; `q` says in which references (docs/api.md). */
	cycles: (t: number, q: Params, s?: AbortSignal) =>
		json<Cycles>(`traces/${t}/cycles`, q, s),
	/** One cycle over time; with `sim`, the serving levels too. */
	cycleAngles: async (t: number, q: Params, s?: AbortSignal): Promise<Angles> => {
		const { header: h, column: c } = await columns(`traces/${t}/cycles/angles`, q, s);
		return {
			...(h as unknown as Angles),
			rows: (h["rows"] as number | undefined) ?? 0,
			sectors: (h["sectors"] as number | undefined) ?? 0,
			time: c["time"] as Float64Array,
			turns: c["turns"] as Float64Array,
			place: c["place"] as Uint8Array,
			region: c["region"] as Uint8Array,
			level: (c["level"] as Uint8Array | undefined) ?? null,
			moments: (c["moments"] as Uint32Array | undefined) ?? null,
		};
	},
	/** Windows in the plane. */
	cycleMap: async (t: number, q: Params, s?: AbortSignal): Promise<PlaneMap> => {
		const { header, column } = await columns(`traces/${t}/cycles/map`, q, s);
		return { ...header, ...column } as unknown as PlaneMap;
	},

	simulate: async (trace: number, machine: string): Promise<Sim> =>
		(await request("POST", "sims", { trace, machine })).json(),
	sim: (n: number, s?: AbortSignal) => json<Sim>(`sims/${n}`, {}, s),
	cancel: async (n: number) => void (await request("DELETE", `sims/${n}`)),
	profile: (n: number, top?: number, s?: AbortSignal) =>
		json<Tables>(`sims/${n}/profile`, { top }, s),
	strides: async (n: number, region: number, s?: AbortSignal) =>
		(await json<{ strides: Stride[] }>(`sims/${n}/strides`, { region }, s)).strides,
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
			waiting: column["waiting"] as Float64Array,
			selected: (column["selected"] as Float64Array | undefined) ?? null,
			selectedWaiting: (column["selected_waiting"] as Float64Array | undefined) ?? null,
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
			sites: header["sites"] as Site[], // `site` is an index into it
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
			way: c["way"] as Uint32Array,
			kind: c["kind"] as Uint8Array,
			source: c["from"] as Uint8Array,
			target: c["to"] as Uint8Array,
			core: c["core"] as Uint8Array,
			other: c["other"] as Uint8Array,
		};
	},
	/** Levels of more than `slots` lines are answered in groups of sets. */
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
	/** The level that served the last access to each cell before `at`, in the order of `cuts`. */
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
			grids?: string; // instead of one region: see gridsParam()
			mode: CellsMode;
			of?: number; // the level for mode `used`
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
		sel: Selection = {},
	) => columns(`sims/${n}/plane`, { ...selectionParams(sel), ...q }, s),
	space: (n: number, w: Window, rows: number, hurry?: number, s?: AbortSignal) =>
		columns(`sims/${n}/space`, { ...times(w), rows, hurry }, s),
	map: async (n: number, w: Window, cells: number, s?: AbortSignal) => {
		const { header, column } = await columns(`sims/${n}/map`, { ...times(w), cells }, s);
		return {
			...spans(header),
			level: column["level"] as Uint8Array,
			cycles: column["cycles"] as Float32Array,
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
	/** Tables of two simulations beside each other. */
	compare: (a: number, b: number, s?: AbortSignal) =>
		json<Tables>("compare", { a, b }, s),
	/** When two simulations serve references from different levels; `match`: matchedTime.ts. */
	disagreements: async (
		a: number,
		b: number,
		w: Window,
		cells: number,
		match?: string,
		s?: AbortSignal,
	) => {
		const { header, column: c } = await columns(
			"disagreements",
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
	disagreementStep: async (
		a: number,
		b: number,
		at: number,
		dir: 1 | -1,
		s?: AbortSignal,
	) => (await json<{ at: number | null }>("disagreements/step", { a, b, at, dir }, s)).at,
	/*
	 * The contents of two simulations at one moment each; groups are sets of large levels.
	 */
	disagreementMoment: async (
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
		const { header: h, column: c } = await columns(
			"disagreements/moment",
			{ a, b, ...q },
			s,
		);
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
};
