// What the colours of moments mean: source lines, functions, regions or the levels that served
// them, and the legend.
import { levelColours, regionColour, type Palette } from "../../../draw/colours";
import type { Colour } from "../../../draw/draw";
import { categories, foldedAtFirst, OTHER, type Angles } from "../model/cycles";
import type { Entry } from "./lists";

const COLOURS = 12; // that can be told apart; what is rarer is grey

export interface Colouring {
	colours: Colour[]; // the last one is that of all others
	of: (i: number) => number; // the colour of a moment, or of a cell
	entries: Entry[]; // of the legend
}

function byLevel(p: Palette, a: Angles, names: string[]): Colouring {
	const colours = levelColours(p, Math.max(1, names.length));
	const level = a.level!;

	return {
		colours: [...colours, p.muted],
		of: (i) => (level[i] ? Math.min(level[i]! - 1, colours.length) : colours.length),
		entries: names.map((title, i) => ({
			title,
			detail: "",
			colour: colours[i] ?? p.muted,
			share: (a.served?.[i + 1] ?? 0) / Math.max(1, a.all),
			category: null,
		})),
	};
}

function ranked(p: Palette, of: (i: number) => number, entries: Entry[]): Colouring {
	return {
		colours: [...Array.from({ length: COLOURS }, (_, n) => regionColour(p, n)), p.muted],
		of: (i) => Math.min(of(i), COLOURS),
		entries,
	};
}

function byRegion(p: Palette, a: Angles): Colouring {
	return ranked(
		p,
		(i) => a.region[i]!,
		a.regions.slice(0, COLOURS).map((r, i) => ({
			title: r.name || "other memory",
			detail: "",
			colour: regionColour(p, i),
			share: r.moments / a.all,
			category: null,
		})),
	);
}

function byPlace(p: Palette, a: Angles, folded: (func: string) => boolean): Colouring {
	const { list, of } = categories(a.places, folded);
	const entries: Entry[] = list.slice(0, COLOURS).map((c, i) => ({
		title: c.title,
		detail: c.detail,
		colour: regionColour(p, i),
		share: c.moments / a.all,
		category: c,
	}));

	if (list.length > COLOURS)
		entries.push({
			title: `${list.length - COLOURS} others`,
			detail: "",
			colour: p.muted,
			share: list.slice(COLOURS).reduce((n, c) => n + c.moments, 0) / a.all,
			category: null,
		});
	return ranked(p, (i) => (a.place[i] === OTHER ? COLOURS : of[a.place[i]!]!), entries);
}

/*
 * `by` is line, function, region or level; `toggled`: functions that a person folded into one
 * colour, or unfolded.
 */
export function colouring(
	p: Palette,
	a: Angles,
	by: string,
	toggled: ReadonlySet<string>,
	levels: string[],
): Colouring {
	if (by === "level" && a.level) return byLevel(p, a, levels);
	if (by === "region") return byRegion(p, a);
	if (by !== "function") {
		const folded = foldedAtFirst(a.places, COLOURS);
		return byPlace(p, a, (f) => folded.has(f) !== toggled.has(f));
	}
	const c = byPlace(p, a, () => true);

	return { ...c, entries: c.entries.map((e) => ({ ...e, category: null })) };
}
