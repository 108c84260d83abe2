import type { Region } from "../src/kinds/trace/model/types";

/** A region of the user's code, with what a test changes of it. */
export function region(over: Partial<Region>): Region {
	return {
		region: 1,
		name: "A",
		kind: "global",
		type: "float",
		elem: 4,
		dims: [],
		fields: [],
		size: 0,
		extent: 0,
		blocks: 0,
		references: 100,
		reads: 50,
		writes: 50,
		own: 100,
		lines: 1,
		first: 0,
		file: "a.c",
		line: 1,
		func: "",
		...over,
	};
}
