// The key of colours: squares with words.
import type { Palette } from "./colours";
import type { Colour, Draw } from "./draw";

/** Draws the key in one line that ends at `right`; returns where it begins. */
export function drawKeyBefore(
	d: Draw,
	p: Palette,
	right: number,
	y: number,
	items: [text: string, colour: Colour][],
	size: number,
): number {
	const style = { colour: p.text, size };
	let x = right;

	for (const [text, colour] of [...items].reverse()) {
		x -= d.measure(text, style);
		d.text(x, y, text, style);
		x -= 13;
		d.rect(x, y - 5, 9, 9, colour);
		x -= 9;
	}
	return x;
}
