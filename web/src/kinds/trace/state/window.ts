// Moving and zooming the window, and the speeds of playback.
import { effect } from "@preact/signals";
import { usualSpeed } from "../model/speed";
import {
	cursor,
	length,
	setSpeed,
	setWindow,
	shownWindow,
	speed,
	speedFollows,
} from "./store";

/** Moves the window by a share of its width. */
export function pan(share: number): void {
	const w = shownWindow.value;
	const by = (w.to - w.from) * share;

	setWindow({ from: w.from + by, to: w.to + by });
}

const MIN_WIDTH = 16; // references in a window

/** Zooms by a factor around a moment, which keeps its place. */
export function zoom(factor: number, around = cursor.value): void {
	const w = shownWindow.value;
	// Clamped here, because setWindow() would keep the beginning and move the moment.
	const width = Math.max((w.to - w.from) * factor, Math.min(MIN_WIDTH, length.value));
	const middle = around >= w.from && around <= w.to ? around : (w.from + w.to) / 2;
	const share = (middle - w.from) / Math.max(1, w.to - w.from);

	setWindow({ from: middle - share * width, to: middle + (1 - share) * width });
}

/** Speeds go 1, 2, 5, 10, ... references a second up to ten million. */
export function faster(dir: 1 | -1): void {
	const power = Math.floor(Math.log10(speed.value) + 1e-9);
	const digit = Math.round(speed.value / 10 ** power);
	const next = dir > 0 ? { 1: 2, 2: 5, 5: 10 }[digit] : { 1: 0.5, 2: 1, 5: 2 }[digit];

	setSpeed(Math.min(1e7, Math.max(1, (next ?? 1) * 10 ** power)));
}

/** Until the person chooses a speed, it follows the length of the window. */
export function startSpeed(): void {
	effect(() => {
		const { from, to } = shownWindow.value;

		if (speedFollows.value && to > from) speed.value = usualSpeed(to - from);
	});
}
