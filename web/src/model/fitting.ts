// How many tabs fit into a row.

const LIST = 92; // pixels that the list of the other tabs may take
const GAP = 2; // between tabs, as in app.css

/** How many of the first tabs fit into `room` pixels: all, or some and the list of the others. */
export function fitting(widths: readonly number[], room: number): number {
	const ends: number[] = [];

	for (const w of widths) ends.push((ends.at(-1) ?? -GAP) + GAP + w);
	if ((ends.at(-1) ?? 0) <= room) return widths.length;
	return ends.filter((end) => end <= room - LIST).length;
}
