// Segments of an address space side by side. The gaps between them are not drawn, and a
// segment's width grows with the logarithm of its size: a stack of a few pages and a heap
// of gigabytes can both be seen.

export interface Segment {
	low: number;
	high: number; // not included
	name: string;
	first: number; // index of its first row
	rows: number;
}

export interface Laid {
	segment: Segment;
	x: number;
	w: number;
}

const GAP = 18;
const MIN = 60; // smallest width in pixels

export function laySegments(segments: Segment[], x: number, w: number): Laid[] {
	const room = w - GAP * (segments.length - 1);
	const min = Math.min(MIN, room / Math.max(1, segments.length));
	const weight = segments.map((s) => Math.log2(Math.max(2, (s.high - s.low) / 2048)));
	const all = weight.reduce((a, b) => a + b, 0) || 1;
	const free = room - min * segments.length;

	return segments.map((segment, i) => {
		const out = { segment, x, w: min + (free * weight[i]!) / all };
		x += out.w + GAP;
		return out;
	});
}

export function xOfAddress(l: Laid, addr: number): number {
	const { low, high } = l.segment;

	return l.x + ((addr - low) / (high - low)) * l.w;
}
