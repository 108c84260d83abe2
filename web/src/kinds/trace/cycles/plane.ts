// Windows in the plane, for comparison with figure 6.4 of the dissertation: by classical scaling
// of their edit distances, and of their distances along near windows (ISOMAP). The colour is the
// angle in the chosen cycle.
import type { Box } from "../../../model/box";
import { along, type Palette } from "../../../draw/colours";
import type { Colour, Draw } from "../../../draw/draw";
import { exact } from "../../../model/format";
import type { PlaneMap } from "../model/cycles";

/** The angle as a colour that comes round. */
function wheel(p: Palette, turns: number): Colour {
	return along(
		[p.read, p.regions[0]!, p.write, p.regions[2]!, p.regions[1]!, p.read],
		turns - Math.floor(turns),
	);
}

function drawPoints(
	d: Draw,
	p: Palette,
	box: Box,
	m: PlaneMap,
	x: Float64Array,
	y: Float64Array,
): void {
	const reach = x.reduce((r, v, i) => Math.max(r, Math.abs(v), Math.abs(y[i]!)), 1e-9);
	const scale = (Math.min(box.w, box.h) / 2 - 8) / reach;
	const most = Math.log(1 + m.moments.reduce((a, b) => Math.max(a, b), 1));

	for (let i = 0; i < x.length; i++)
		d.arc(
			box.x + box.w / 2 + x[i]! * scale,
			box.y + box.h / 2 - y[i]! * scale,
			0,
			2 + (4 * Math.log(1 + m.moments[i]!)) / most,
			0,
			2 * Math.PI,
			wheel(p, m.turns[i]!),
			0.85,
		);
}

/** The colours of a turn, as a ring in the corner. */
function drawWheel(d: Draw, p: Palette, x: number, y: number): void {
	const pieces = 36;

	for (let i = 0; i < pieces; i++)
		d.arc(
			x,
			y,
			8,
			14,
			(2 * Math.PI * i) / pieces,
			(2 * Math.PI * (i + 1)) / pieces,
			wheel(p, (i + 0.5) / pieces),
		);
	d.text(x + 20, y, "angle", { colour: p.muted, size: 10 });
}

/** Both pictures, side by side or one above the other, as there is room. */
export function drawPlane(d: Draw, p: Palette, box: Box, m: PlaneMap): void {
	const beside = box.w >= box.h;
	const part = (n: number): Box =>
		beside
			? { ...box, x: box.x + (n * box.w) / 2, w: box.w / 2 }
			: { ...box, y: box.y + (n * box.h) / 2, h: box.h / 2 };
	const pictures: [string, number, Float64Array, Float64Array][] = [
		["classical scaling", m.shown, m.x, m.y],
		[`ISOMAP, ${m.near} nearest`, m.geodesic_shown, m.geodesic_x, m.geodesic_y],
	];

	pictures.forEach(([name, shown, x, y], n) => {
		const b = part(n);
		d.text(b.x, b.y + 8, name, { colour: p.text, size: 11 });
		d.text(b.x, b.y + 23, `${Math.round(100 * shown)} % of the spread`, {
			colour: p.muted,
			size: 10,
		});
		drawPoints(d, p, { ...b, y: b.y + 28, h: b.h - 32 }, m, x, y);
	});
	drawWheel(d, p, box.x + box.w - 60, box.y - 12);
}

export function planeWords(m: PlaneMap): string {
	return `${exact(m.x.length)} of ${exact(m.all)} distinct windows`;
}
