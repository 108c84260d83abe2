// Speeds of playback, in references a second, on a slider with equal steps for equal factors.

export const SLOWEST = 1;
export const FASTEST = 1e7;
export const speeds = [1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7];

const PATIENCE = 30; // seconds in which a window is played

/** The speed at which a window of so many references is played in some thirty seconds: 1, 2 or 5 with zeros. */
export function usualSpeed(references: number): number {
	const raw = Math.max(2, references / PATIENCE); // slower than two a second is waiting
	const power = 10 ** Math.floor(Math.log10(raw));
	const digit = [5, 2, 1].find((d) => d * power <= raw) ?? 1;

	return Math.min(FASTEST, digit * power);
}

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
