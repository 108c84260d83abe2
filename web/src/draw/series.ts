// Colours of many series by a value: a sequence for numbers, separate colours for words.
// Both can be told apart by colour-blind readers (Okabe and Ito for words; numbers also
// differ in lightness) and stand out from the ground.
import { along, type Palette } from "./colours";
import type { Colour } from "./draw";

const sequence = {
	light: [0x1f1a78, 0x5b1fa6, 0x9c2a92, 0xcf4f6c, 0xe5793d, 0xdd9a14],
	dark: [0x7280ff, 0xb06bf2, 0xe867b4, 0xff8669, 0xffb648, 0xf6ee7a],
};
const words = {
	light: [0x0072b2, 0xd55e00, 0x009e73, 0xcc5c97, 0xb07c00, 0x3fa3dd, 0x6b4fa3, 0x5f646b],
	dark: [0x4aa8e8, 0xff8a3d, 0x2fcf9f, 0xef92c1, 0xf0c23c, 0x8fd3ff, 0xb59bf0, 0xaeb4bd],
};

function isDark(p: Palette): boolean {
	return (p.background & 255) < 128;
}

/** The colour of the i-th of n values in order. */
export function numberColour(p: Palette, i: number, n: number): Colour {
	const map = isDark(p) ? sequence.dark : sequence.light;

	return along(map, n > 1 ? i / (n - 1) : 0.35);
}

export function wordColour(p: Palette, i: number): Colour {
	const list = isDark(p) ? words.dark : words.light;

	return list[i % list.length]!;
}
