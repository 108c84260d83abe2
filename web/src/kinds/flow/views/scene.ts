// Colours and words that the views and panels of a flow share.
import { along, mix, regionColour, type Palette } from "../../../draw/colours";
import type { Colour, Draw } from "../../../draw/draw";
import { bytes, count } from "../../../model/format";
import type { Scale } from "../model/heat";
import type { Container } from "../model/program";

/** Colour maps from little to much. All but the last are safe for colour-blind readers. */
export const colourMaps: [id: string, name: string][] = [
	["lamp", "memlamp"],
	["viridis", "viridis"],
	["cividis", "cividis"],
	["magma", "magma"],
	["traffic", "green to red"],
];

const maps: Record<string, Colour[]> = {
	viridis: [0x440154, 0x3b528b, 0x21918c, 0x5ec962, 0xfde725],
	cividis: [0x00224e, 0x35456c, 0x666970, 0x948e77, 0xc8b866, 0xfee838],
	magma: [0x1b1044, 0x51127c, 0xb73779, 0xfc8961, 0xfcfdbf],
	traffic: [0x1f9a4d, 0xf2d43d, 0xcf2f2f],
};

export function heatMap(p: Palette, id: string): Colour[] {
	return maps[id] ?? p.heat;
}

/** The colour of a share of a scale; what is not known is grey. */
export function heatColour(p: Palette, id: string, t: number): Colour {
	return Number.isNaN(t) ? p.empty : along(heatMap(p, id), t);
}

/** Black or white, whatever is legible on a colour. */
export function inkOn(c: Colour): Colour {
	const light = 0.299 * (c >> 16) + 0.587 * ((c >> 8) & 255) + 0.114 * (c & 255);

	return light > 140 ? 0x16181b : 0xffffff;
}

/** Edges must differ from the paper also where they move little. */
export function edgeColour(p: Palette, id: string, t: number): Colour {
	if (Number.isNaN(t)) return p.muted;
	return mix(along(heatMap(p, id), t), p.text, id === "lamp" ? 0.22 * (1 - t) : 0.05);
}

/** The colour of a container, in both views. */
export function containerColour(p: Palette, container: number): Colour {
	return regionColour(p, container);
}

export function shapeText(c: Container): string {
	return c.shape.map((n) => `[${n ?? ""}]`).join("");
}

/** A number of a metric with its unit. */
export function metricText(metric: string, v: number): string {
	if (!Number.isFinite(v)) return "not known";
	if (["bytes", "volume", "moved", "footprint"].includes(metric)) return bytes(v);
	if (metric === "intensity") return Number(v.toPrecision(3)).toString();
	return count(v);
}

/** The key of a heat map: a bar with the values of its ends and middle. */
export function drawScale(
	d: Draw,
	p: Palette,
	x: number,
	y: number,
	title: string,
	scale: Scale,
	map: string,
	text: (v: number) => string,
): void {
	const [w, steps] = [180, 36];
	const small = { colour: p.muted, size: 10 };

	d.text(x, y, title, { colour: p.text, size: 10.5 });
	for (let i = 0; i < steps; i++)
		d.rect(
			x + (i * w) / steps,
			y + 8,
			w / steps + 0.5,
			7,
			heatColour(p, map, i / (steps - 1)),
		);
	const [low, middle, high] = scale.ends.map(text) as [string, string, string];
	d.text(x, y + 23, low, small);
	if (middle !== low && middle !== high)
		d.text(x + w / 2, y + 23, middle, { ...small, align: "center" });
	d.text(x + w, y + 23, high, { ...small, align: "right" });
}

/** An edge as a smooth line: vertical at its ends and at each layer. */
export function smooth(points: ArrayLike<number>, steps: number): number[] {
	const out: number[] = [points[0]!, points[1]!];

	for (let i = 2; i + 1 < points.length; i += 2) {
		const [x0, y0, x1, y1] = [points[i - 2]!, points[i - 1]!, points[i]!, points[i + 1]!];

		if (Math.abs(x1 - x0) > 1)
			for (let k = 1; k < steps; k++) {
				const t = k / steps;
				const e = t * t * (3 - 2 * t);
				out.push(x0 + (x1 - x0) * e, y0 + (y1 - y0) * t);
			}
		out.push(x1, y1);
	}
	return out;
}

/** The head of an arrow that points down to (x, y), or up. */
export function drawArrow(d: Draw, x: number, y: number, size: number, c: Colour): void {
	d.path([x, y, x - size * 0.6, y - size, x + size * 0.6, y - size], c);
}
