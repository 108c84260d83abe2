// The wheel as a zoom.

/** The factor by which a turn of the wheel zooms; a pinch comes as small turns with ctrl. */
export function wheelFactor(e: WheelEvent): number {
	const pixels = e.deltaMode === WheelEvent.DOM_DELTA_LINE ? 33 * e.deltaY : e.deltaY;

	return (e.ctrlKey ? 1.01 : 1.0015) ** pixels;
}
