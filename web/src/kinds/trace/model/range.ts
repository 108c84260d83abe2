// What a range of the run adds up to.
import { caches, cyclesOf, missesOf } from "./cost";
import type { Level } from "./types";

export interface RangeSums {
	references: number;
	cycles: number;
	levels: {
		name: string;
		missed: number; // references that the level did not serve
		bytes: number; // lines that these references need, in bytes
	}[];
}

export function rangeSums(
	of: { references: number; served: number[] },
	levels: Level[],
): RangeSums {
	return {
		references: of.references,
		cycles: cyclesOf(of.served, levels),
		levels: caches(levels).map((l, i) => {
			const missed = missesOf(of.served, i);
			return { name: l.name, missed, bytes: missed * l.line };
		}),
	};
}
