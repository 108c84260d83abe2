// What a range of the run adds up to.
import { caches, missesOf } from "./cost";
import { waitingOf } from "./waiting";
import type { Level } from "./types";

export interface RangeSums {
	references: number;
	waiting: number; // cycles
	levels: {
		name: string;
		missed: number; // references that the level did not serve
		bytes: number; // lines that these references need, in bytes
	}[];
}

export function rangeSums(
	of: { references: number; served: number[]; waiting: number[] },
	levels: Level[],
): RangeSums {
	return {
		references: of.references,
		waiting: waitingOf(of.waiting),
		levels: caches(levels).map((l, i) => {
			const missed = missesOf(of.served, i);
			return { name: l.name, missed, bytes: missed * l.line };
		}),
	};
}
