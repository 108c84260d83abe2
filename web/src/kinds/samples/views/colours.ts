// Colours of samples. Resources go from yellow to red, as heat does; a resource without
// samples is blue-grey, which is no part of that map. The selection is blue and the
// pre-selection orange-red: both differ in lightness too.
import { along, mix, type Palette } from "../../../draw/colours";
import type { Colour } from "../../../draw/draw";

interface SampleColours {
	heat: Colour[];
	none: Colour;
	selected: Colour;
	hover: Colour;
	rest: Colour; // samples that are not selected
	link: Colour;
}

const onLight: SampleColours = {
	heat: [0xfdf0c0, 0xfbce66, 0xf29a3a, 0xd65b2a, 0x97201f],
	none: 0x9fb0c8,
	selected: 0x1f5f99,
	hover: 0xd6401f,
	rest: 0xd8d8d3,
	link: 0x3a3f46,
};

const onDark: SampleColours = {
	heat: [0x4a3d22, 0x8a6a24, 0xc98a2b, 0xf0894a, 0xffc2a0],
	none: 0x3a4a66,
	selected: 0x6fb1ee,
	hover: 0xff6b45,
	rest: 0x3a3f47,
	link: 0xc9ced6,
};

export function sampleColours(p: Palette): SampleColours {
	return p.background > 0x808080 ? onLight : onDark;
}

/** The colour of a resource: -1 is one without samples. */
export function loadColour(p: Palette, share: number): Colour {
	const c = sampleColours(p);

	return share < 0 ? c.none : along(c.heat, share);
}

/** The colour of a line of a strength: weak ones are near the background. */
export function lineColour(p: Palette, base: Colour, share: number): Colour {
	return mix(p.background, base, 0.1 + 0.9 * share);
}
