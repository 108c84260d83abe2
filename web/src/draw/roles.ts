// Colours of series by role. The server has the tables and sends them in /api/open; the page
// keeps no copy of its own.
import type { Role, RoleTable } from "../model/figure";
import { along, type Palette, type Roles } from "./colours";
import type { Colour } from "./draw";

/** The tables of /api/open as numbers. */
export function readRoles(sent: RoleTable): Roles {
	const colours = (list: string[]) => list.map((c) => parseInt(c.slice(1), 16));

	return {
		word: colours(sent.word),
		number: colours(sent.number),
		heat: colours(sent.heat),
	};
}

/** The colour of the i-th of n values in order. */
export function numberColour(p: Palette, i: number, n: number): Colour {
	return p.roles ? along(p.roles.number, n > 1 ? i / (n - 1) : 0) : p.muted;
}

export function wordColour(p: Palette, i: number): Colour {
	return p.roles ? p.roles.word[i % p.roles.word.length]! : p.muted;
}

/** The colour at a share, 0 to 1, of the way from little to much. */
export function heatColour(p: Palette, share: number): Colour {
	return p.roles ? along(p.roles.heat, share) : p.muted;
}

export function roleColour(p: Palette, r: Role): Colour {
	if (r.role === "word") return wordColour(p, r.index ?? 0);
	if (r.role === "number") return numberColour(p, r.index ?? 0, r.of ?? 1);
	if (r.role === "background") return p.background;
	return r.role === "muted" ? p.muted : p.text;
}

/** Black or white, whichever can be read on a colour. */
export function readableOn(c: Colour): Colour {
	const light = 0.3 * (c >> 16) + 0.59 * ((c >> 8) & 255) + 0.11 * (c & 255);

	return light > 135 ? 0x14161a : 0xffffff;
}
