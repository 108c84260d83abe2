// The key of cells, the same in all views that have them: the hue is the level that costs
// most, the strength the cycles of a reference.
import { cellColour, costColours, type Palette } from "../../../draw/colours";
import type { Draw } from "../../../draw/draw";
import { drawKeyBefore } from "../../../draw/key";
import { count } from "../../../model/format";
import { cellScale } from "../model/waiting";
import { levelNames, onTopName, sim } from "../state/store";

const RAMP = 48; // pixels of the scale of strengths

/** Draws the key in one line from `left` at the earliest to `right`; returns where it begins. */
export function drawCellKey(
	d: Draw,
	p: Palette,
	right: number,
	y: number,
	left: number,
): number {
	const style = { colour: p.muted, size: 10 };
	const names = levelNames.value;
	const colours = costColours(p, names.length);
	const [first, memory] = cellScale(sim.value?.levels ?? []);
	const words = [
		"most cycles from",
		`${count(first)}`,
		`${count(memory)} cycles a reference`,
	];
	const [what, low, high] = words as [string, string, string];
	const onTop = /TLB/.test(sim.value?.machine ?? "") || (sim.value?.busy ?? 1) > 1;
	const items: [string, number][] = names.map((n, i) => [n, colours[i]!]);
	if (onTop) items.push([onTopName.value, colours.at(-1)!]);
	const wide = (text: string) => d.measure(text, style);
	const keys = items.reduce((n, [text]) => n + wide(text) + 22, 0);
	const ramp = RAMP + wide(low) + wide(high) + 24;
	let x = right;

	if (!names.length || right - keys < left) return right;
	if (right - keys - ramp - wide(what) >= left) {
		x -= wide(high);
		d.text(x, y, high, style);
		x -= 5 + RAMP;
		for (let i = 0; i < RAMP; i++) {
			const cycles = first * (memory / first) ** (i / (RAMP - 1));
			const cell = { level: names.length, cycles };
			d.splat(x + i, y - 4, 1, 8, cellColour(p, names.length, cell, [first, memory]));
		}
		x -= 5 + wide(low);
		d.text(x, y, low, style);
		x -= 14;
	}
	x = drawKeyBefore(d, p, x, y, items, style.size);
	if (x - wide(what) - 2 < left) return x;
	x -= wide(what) - 2;
	d.text(x, y, what, style);
	return x - 10;
}
