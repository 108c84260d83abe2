// Speeds of playback, in references a second, on a slider with equal steps for equal factors.

export const SLOWEST = 1;
export const FASTEST = 1e7;
export const speeds = [1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7];

/** Where a speed stands on the slider, from 0 to 1. */
export function placeOfSpeed(speed: number): number {
	const at = Math.log10(speed / SLOWEST) / Math.log10(FASTEST / SLOWEST);

	return Math.max(0, Math.min(1, at));
}

/** The speed at a place of the slider, with at most two digits that count. */
export function speedAt(place: number): number {
	const raw = SLOWEST * (FASTEST / SLOWEST) ** Math.max(0, Math.min(1, place));
	const unit = 10 ** Math.max(0, Math.floor(Math.log10(raw)) - 1);

	return Math.min(FASTEST, Math.round(raw / unit) * unit);
}
