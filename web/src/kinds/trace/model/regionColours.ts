// Which of the colours each region has. Regions that are seen together must not share one.

/** Colours of regions in a palette. */
export const REGION_COLOURS = 12;

/*
 * Numbers of colours by region. `list` has all regions, `order` those that matter, the most
 * important first. A region has the colour of its place in the list, so that it keeps its
 * colour when others come to matter; where one before it in the order has that colour, it
 * takes the next that is free. Colours repeat once all `count` are taken.
 */
export function colourNumbers(
	list: number[],
	order: number[],
	count: number,
): Map<number, number> {
	const own = new Map(list.map((r, i) => [r, i % count]));
	const out = new Map<number, number>();
	const taken = new Set<number>();

	for (const r of new Set([...order, ...list])) {
		let c = own.get(r);
		if (c === undefined) continue; // of another trace
		while (taken.size < count && taken.has(c)) c = (c + 1) % count;
		taken.add(c);
		out.set(r, c);
	}
	return out;
}
