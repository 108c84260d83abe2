// Colours and words that the views and panels of a search space share. The colours are
// those of the paper: light green for all, green for what passes, dark blue for hard
// constraints, light blue for soft ones.
import { along, mix, type Palette } from "../../../draw/colours";
import type { Colour } from "../../../draw/draw";
import { exact } from "../../../model/format";
import { share, type Constraint } from "../model/space";

export interface PruneColours {
	all: Colour;
	pass: Colour;
	hard: Colour;
	soft: Colour;
}

export function pruneColours(p: Palette): PruneColours {
	return p.background > 0x808080
		? { all: 0xc4e8b8, pass: 0x3c9a4a, hard: 0x1d4f9f, soft: 0x8dbde8 }
		: { all: 0xa9d99a, pass: 0x3f9f50, hard: 0x3a78d4, soft: 0xa6cdf2 };
}

export function failColour(p: Palette, soft: boolean): Colour {
	const c = pruneColours(p);

	return soft ? c.soft : c.hard;
}

/** Of a sector in which `failed` of `count` variants fail. */
export function sectorColour(
	p: Palette,
	soft: boolean,
	failed: number,
	count: number,
): Colour {
	return mix(pruneColours(p).pass, failColour(p, soft), count ? failed / count : 0);
}

/** Results from the best (bright) to the worst, on a logarithmic scale. */
export function resultColour(
	p: Palette,
	cycles: number,
	best: number,
	worst: number,
): Colour {
	const t = worst > best ? Math.log(cycles / best) / Math.log(worst / best) : 0;
	const map = p.background > 0x808080 ? p.heat : [...p.heat].reverse();

	return along(map, p.background > 0x808080 ? 0.15 + 0.85 * (1 - t) : t);
}

/** What the paper's tooltip says of a constraint. */
export function effectLines(c: Constraint, variants: number): string[] {
	return [
		`total: eliminates ${share(c.eliminated, variants)}`,
		`relative: ${share(c.relative, c.reached)} of what the rings inside leave`,
		...(c.alone
			? [`alone: ${exact(c.alone)} that no other eliminates`]
			: c.implied_by.length
				? [`redundant with ${c.implied_by[0]}`]
				: c.eliminated
					? ["redundant with the others together"]
					: []),
	];
}
