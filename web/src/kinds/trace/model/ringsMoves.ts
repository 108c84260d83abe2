// Stretches of movements: joined where one follows the other, and cut.
import type { MoveList } from "./ringsGlyphs";

/** Movements of `count` references from reference `from` on, whose `access` counts from there. */
export interface Stretch extends MoveList {
	from: number;
	count: number;
	line: BigUint64Array;
	access: Uint32Array;
	set: Uint32Array;
	way: Uint32Array;
	kind: Uint8Array;
	source: Uint8Array;
	target: Uint8Array;
	core: Uint8Array;
	other: Uint8Array;
}

type Columns = Omit<Stretch, "from" | "count">;

/** `b` begins where `a` ends. */
export function join(a: Stretch, b: Stretch): Stretch {
	const n = a.line.length;
	const both = <K extends keyof Columns>(key: K): Columns[K] => {
		const Type = a[key].constructor as new (size: number) => Columns[K];
		const out = new Type(n + b.line.length);
		out.set(a[key] as never);
		out.set(b[key] as never, n);
		return out;
	};
	const access = both("access");

	for (let i = n; i < access.length; i++) access[i]! += a.count;
	return {
		from: a.from,
		count: a.count + b.count,
		access,
		line: both("line"),
		set: both("set"),
		way: both("way"),
		kind: both("kind"),
		source: both("source"),
		target: both("target"),
		core: both("core"),
		other: both("other"),
	};
}

/** The first movement of reference n of a stretch, or of a later one. */
function first(s: Stretch, n: number): number {
	let [low, high] = [0, s.access.length];

	while (low < high) {
		const mid = (low + high) >> 1;
		if (s.access[mid]! < n) low = mid + 1;
		else high = mid;
	}
	return low;
}

/** The movements of references [from, to), which are in the stretch. */
export function within(s: Stretch, from: number, to: number): Stretch {
	if (from === s.from && to === s.from + s.count) return s;
	const [a, b] = [first(s, from - s.from), first(s, to - s.from)];

	return {
		from,
		count: to - from,
		access: s.access.slice(a, b).map((v) => v - (from - s.from)),
		line: s.line.slice(a, b),
		set: s.set.slice(a, b),
		way: s.way.slice(a, b),
		kind: s.kind.slice(a, b),
		source: s.source.slice(a, b),
		target: s.target.slice(a, b),
		core: s.core.slice(a, b),
		other: s.other.slice(a, b),
	};
}
