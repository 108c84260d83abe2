// Names that tell two simulations apart: by their machines, by the words in which machines
// of one name differ, by their traces.
import { shortMachine } from "./machine";
import type { Sim } from "./types";

/** Words of a machine's levels that another machine's text does not have. */
function onlyIn(a: string, b: string): string {
	const other = new Set(b.split(" | "));

	return a
		.split(" | ")
		.filter((level) => !other.has(level))
		.map((level) => {
			const [name, ...words] = level.split(" ");
			const there = b.split(" | ").find((l) => l.startsWith(`${name} `));
			const known = new Set(there?.split(" "));
			return [name, ...words.filter((w) => !known.has(w))].join(" ");
		})
		.join(", ");
}

type Named = Pick<Sim, "machine" | "name" | "levels" | "trace">;

/** A simulation by its machine. */
export function simName(s: Named): string {
	return s.name || shortMachine(s.levels) || s.machine;
}

/** Names for both; `short`: of two machines with like names, only the words that differ. */
export function namesOfTwo(
	a: Named,
	b: Named,
	file: (trace: number) => string,
	short = false,
): [string, string] {
	// The same machine has the same name, whatever text asked for it.
	const known = a.machine === b.machine ? a.name || b.name : "";
	const name = (s: Named) => known || simName(s);
	const like = name(a) === name(b) && a.machine !== b.machine;
	const [one, two] = ([a, b] as const).map((s, i) => {
		const words = onlyIn(s.machine, (i ? a : b).machine);

		if (!like) return name(s);
		return short && words ? words : `${name(s)}: ${words}`;
	}) as [string, string];

	if (a.trace === b.trace) return [one, two];
	// Of one machine over two traces, the traces alone tell them apart.
	if (short && a.machine === b.machine) return [file(a.trace), file(b.trace)];
	return [`${file(a.trace)}, ${one}`, `${file(b.trace)}, ${two}`];
}
