/** How warm a level is from 0 to 1: -1 and below is cold, +1 is as warm as it gets. */
export function warmth(temperature: number): number {
	return Math.max(0, Math.min(1, (temperature + 1) / 2));
}
