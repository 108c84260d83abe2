/** Round positions for an axis from low to high, about `wanted` of them. */
export function ticks(low: number, high: number, wanted: number, min = 0): number[] {
	const span = high - low;

	if (!(span > 0) || wanted < 1) return [];
	const raw = span / wanted;
	const power = 10 ** Math.floor(Math.log10(raw));
	const factor = [1, 2, 5, 10].find((f) => f * power >= raw) ?? 10;
	const step = Math.max(factor * power, min);
	const out: number[] = [];

	for (let i = Math.ceil(low / step); i * step <= high; i++) out.push(i * step);
	return out;
}
