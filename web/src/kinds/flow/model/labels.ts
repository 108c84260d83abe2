// Labels beside edges: each goes to the first of its places that is free, or nowhere.
import type { Spot } from "./frames";

export class Labels {
	private readonly taken: Spot[] = [];

	/** Takes the first place (middle of the left side) where the label overlaps none before. */
	take(
		places: [x: number, y: number][],
		w: number,
		h: number,
	): [x: number, y: number] | null {
		for (const [x, y] of places) {
			const spot = { x, y: y - h / 2, w, h };

			if (this.taken.some((t) => overlap(t, spot))) continue;
			this.taken.push(spot);
			return [x, y];
		}
		return null;
	}
}

function overlap(a: Spot, b: Spot): boolean {
	return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}
