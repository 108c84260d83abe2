// The whole picture in a corner, with the part that is on the screen.
import { mix, type Palette } from "../../../draw/colours";
import type { Draw } from "../../../draw/draw";
import { eachItem, type Frame } from "../model/frames";
import type { Camera } from "./camera";
import { containerColour } from "./scene";

const [WIDE, HIGH, MARGIN, PAD] = [190, 130, 12, 6];

interface MapBox {
	x: number; // of the picture's corner, pixels
	y: number;
	k: number; // pixels a unit
	left: number; // of the frame around it
	top: number;
	w: number;
	h: number;
}

export function minimapBox(width: number, f: { w: number; h: number }): MapBox {
	const k = Math.min((WIDE - 2 * PAD) / f.w, (HIGH - 2 * PAD) / f.h);
	const [w, h] = [
		Math.max(60, Math.min(WIDE, f.w * k + 2 * PAD)),
		Math.max(50, Math.min(HIGH, f.h * k + 2 * PAD)),
	];
	const left = width - w - MARGIN;

	return {
		k,
		left,
		top: MARGIN,
		w,
		h,
		x: left + (w - f.w * k) / 2,
		y: MARGIN + (h - f.h * k) / 2,
	};
}

/** The point of the picture that a point of the minimap shows; null: it is beside it. */
export function minimapSpot(
	width: number,
	f: Frame,
	x: number,
	y: number,
	anywhere = false,
): { x: number; y: number } | null {
	const b = minimapBox(width, f);
	const inside = x >= b.left && x <= b.left + b.w && y >= b.top && y <= b.top + b.h;

	return inside || anywhere ? { x: (x - b.x) / b.k, y: (y - b.y) / b.k } : null;
}

export function drawMinimap(
	d: Draw,
	p: Palette,
	f: Frame,
	cam: Camera,
	version: string,
): void {
	const b = minimapBox(d.width, f);

	d.layer("minimap", [version, d.width, d.height, p.background].join(" "), () => {
		d.rect(b.left, b.top, b.w, b.h, p.panel, 0.94);
		d.frame(b.left, b.top, b.w, b.h, mix(p.grid, p.muted, 0.4), 1);
		eachItem(f, 0, 0, (i, x, y) => {
			const [w, h] = [i.w * b.k, i.h * b.k];

			if (i.kind === "port" || (w < 0.6 && h < 0.6)) return;
			const [mx, my] = [b.x + x * b.k, b.y + y * b.k];
			if (i.inner) d.splat(mx, my, w, h, mix(p.panel, p.text, 0.1));
			else if (i.kind === "data")
				d.splat(mx, my, Math.max(1, w), Math.max(1, h), containerColour(p, i.container));
			else d.splat(mx, my, Math.max(1, w), Math.max(1, h), p.muted);
		});
	});
	const x0 = Math.max(b.left, b.x + cam.x * b.k);
	const y0 = Math.max(b.top, b.y + cam.y * b.k);
	const x1 = Math.min(b.left + b.w, b.x + cam.wx(cam.width) * b.k);
	const y1 = Math.min(b.top + b.h, b.y + cam.wy(cam.height) * b.k);
	if (x1 > x0 && y1 > y0) d.frame(x0, y0, x1 - x0, y1 - y0, p.cursor, 1.5);
}
