// The chosen sets of a level: "0-7,32", as the person types them and the URL keeps them.

/** A byte for each set, 1: chosen. Null: all sets, also if none is chosen. */
export function parseSets(text: string, sets: number): Uint8Array | null {
	const out = new Uint8Array(sets);
	let any = false;

	for (const part of text.split(/[\s,;]+/)) {
		const m = /^(\d+)(?:\s*(?:-|–|\.\.)\s*(\d+))?$/.exec(part);
		if (!m) continue;
		const [a, b] = [Number(m[1]), Number(m[2] ?? m[1])];
		for (let i = Math.min(a, b); i <= Math.max(a, b) && i < sets; i++) {
			out[i] = 1;
			any = true;
		}
	}
	return any && out.includes(0) ? out : null;
}

/*
 * The part of a text that names no set of a level of so many sets; empty: all of it is
 * right.
 */
export function wrongSets(text: string, sets: number): string {
	for (const part of text.split(/[\s,;]+/).filter(Boolean)) {
		const m = /^(\d+)(?:(?:-|–|\.\.)(\d+))?$/.exec(part);
		if (!m) return `“${part}” is no set: write 0-7,32`;
		if (Math.max(Number(m[1]), Number(m[2] ?? 0)) >= sets)
			return `sets are 0 to ${sets - 1}`;
	}
	return "";
}

export function printSets(chosen: Uint8Array | null): string {
	const out: string[] = [];

	for (let i = 0; chosen && i < chosen.length; i++) {
		if (!chosen[i]) continue;
		let end = i;
		while (chosen[end + 1]) end++;
		out.push(end > i ? `${i}-${end}` : String(i));
		i = end;
	}
	return out.join(",");
}

/*
 * A click on sets [first, end) of a level chooses these sets alone, or all sets if these
 * were chosen alone. With `more` the click adds the sets to the others or takes them
 * away.
 */
export function clickSets(
	text: string,
	sets: number,
	[first, end]: [number, number],
	more: boolean,
): string {
	const old = parseSets(text, sets);
	const all = (v: Uint8Array) => v.subarray(first, end).every((x) => x === 1);
	const out = more && old ? old.slice() : new Uint8Array(sets);
	const on = !(
		old &&
		all(old) &&
		(more || old.reduce((n, x) => n + x, 0) === end - first)
	);

	out.fill(on ? 1 : 0, first, Math.min(end, sets));
	return out.includes(0) ? printSets(out) : "";
}
