// The shapes of the server's answers about traces and simulations (docs/api.md). Times
// and counts are numbers below 2^53; addresses are strings in JSON and bigint in columns.

export interface SourceFile {
	file: number;
	path: string;
	kept: boolean;
	lines: number;
}

export interface Thread {
	thread: number;
	name: string;
	parent: number;
	references: number;
}

export interface Phase {
	name: string;
	depth: number;
	thread: number;
	from: number;
	to: number;
}

export interface Trace {
	trace: number;
	path: string;
	name: string;
	counted: boolean; // false: reads, writes, threads and states are not known yet
	references: number;
	reads: number;
	writes: number;
	fetches: number;
	command: string;
	back_end: string;
	damage: string | null; // a sentence when the file was cut off or is corrupt
	meta: Record<string, unknown>;
	gaps: { time: number; count: number; reason: string }[];
	threads: Thread[];
	phases: Phase[];
	marks: { time: number; name: string }[];
	files: SourceFile[];
}

export interface Field {
	name: string;
	type: string;
	offset: number;
	size: number;
}

export interface Region {
	region: number;
	name: string;
	kind: string;
	type: string;
	elem: number;
	dims: number[];
	fields: Field[];
	size: number;
	extent: number; // bytes of all its blocks, one behind the other; 0 unknown
	low?: string;
	blocks: number;
	references: number;
	reads: number;
	writes: number;
	own: number; // references made by the user's own code, itself or through a library
	lines: number;
	first: number;
	file: string; // path
	line: number;
	func: string;
}

/** References of one line of code, without a simulation. */
export interface LineCount {
	file: number | null; // null: no file is known, or not the user's own code
	line: number;
	func: string;
	object?: string;
	own?: boolean;
	references: number;
	reads: number;
	writes: number;
}

export interface Level {
	name: string;
	size: number;
	ways: number;
	sets: number;
	line: number;
	policy: string;
	cycles: number;
	instances: number;
	kind: "cache" | "memory"; // memory has name and cycles only
}

export type SimState = "running" | "ready" | "failed" | "cancelled";

export interface Sim {
	sim: number;
	trace: number;
	machine: string;
	name: string;
	state: SimState;
	done: number;
	total: number;
	error?: string;
	findings?: boolean; // the findings are known
	positions?: number; // when ready
	interleaved?: boolean;
	levels: Level[];
	cores: number;
	busy?: number; // when ready: the cores that run a thread
}

/** References of one line of code in a window, by the level that served them. */
export interface LineServed {
	line: number;
	references: number;
	reads: number;
	writes: number;
	served: number[];
	waiting: number[]; // see SelectAnswer
}

/** One reference in words. */
export interface At {
	time: number;
	kind: string;
	size: number;
	addr: string;
	datum: string;
	region: number;
	offset: number;
	file: number | null;
	line: number;
	func: string;
	object?: string;
	inlined: { func: string; path: string; line: number }[];
	thread: number;
	served: number;
	causes: string[];
	evicted: string | null; // first datum of the line that left the first level
	caption: string;
}

export interface SelectAnswer {
	references: number;
	served: number[];
	waiting: number[]; // cycles by serving level, then what comes on top (waiting.ts)
	lines: {
		file: number | null;
		line: number;
		func?: string;
		references: number;
		served: number[];
		waiting: number[];
	}[];
	regions: {
		region: number;
		references: number;
		served: number[];
		waiting: number[];
	}[];
}

export interface Datum {
	datum: string;
	addr: string;
	references: number;
	reads: number;
	writes: number;
	served: number[];
	waiting: number[];
	accesses: {
		time: number;
		kind: string;
		file: number | null;
		line: number;
		served: number;
	}[];
}

/** A row of a table as the command line prints it with --json. */
export type Row = Record<string, unknown>;
export type Tables = Record<string, unknown>;

/** How a window is cut in cells: cell i is [first + i * width, + width) of [from, to). */
export interface Spans {
	from: number;
	to: number;
	first: number; // a multiple of width, at or before `from`
	width: number; // references a cell, a power of two
	cells: number;
	levels: number; // serving levels: caches and memory
}

export interface Timeline extends Spans {
	until: number; // how far the simulation is
	served: Float64Array; // [cells][levels]
	waiting: Float64Array; // [cells][levels + 1]
	selected: Float64Array | null; // the same of the selected references; null: all are
	selectedWaiting: Float64Array | null;
}

/** A level in an answer about what caches hold. */
export interface StateLevel {
	name: string;
	instances: number;
	share: number; // cores of an instance
	sets: number;
	ways: number;
	line: number; // bytes
	group: number; // sets of an entry; 0: the level is answered line by line
	first: number; // its first slot, or group
}
