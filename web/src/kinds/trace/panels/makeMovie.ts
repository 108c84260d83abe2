// Movies of any view that plays. The cursor goes through the window in equal steps; each
// picture is taken when the view has drawn that moment and nothing moves any more. If
// there are more frames than references, several frames show the movement of each
// reference.
import { Apng } from "../../../draw/apng";
import { cursor, playing, setCursor, shownWindow } from "../state/store";
import type { View } from "../../../views/view";

export interface MovieWish {
	kind: "png" | "webm";
	frames: number;
	seconds: number;
}

export const FRAMES_MAX = 600;
const PATIENCE = 30000; // ms for one moment
const BITS = 8e6; // a second, of WebM

/** Moments of a window, the first and the last among them; no moment comes twice. */
export function momentsOf(from: number, to: number, frames: number): number[] {
	const last = Math.max(from, to - 1);
	const n = Math.max(1, Math.min(Math.round(frames), last - from + 1, FRAMES_MAX));

	return Array.from({ length: n }, (_, i) =>
		n === 1 ? last : from + Math.round(((last - from) * i) / (n - 1)),
	);
}

/*
 * Pictures of each moment: more than one, for the movement, if the moments are
 * consecutive.
 */
export function phasesOf(moments: number, length: number, frames: number): number {
	return moments < length ? 1 : Math.max(1, Math.floor(frames / moments));
}

const frame = () => new Promise((r) => requestAnimationFrame(r));

async function shows(
	v: View,
	time: number,
	stop: AbortSignal,
): Promise<HTMLCanvasElement> {
	const end = performance.now() + PATIENCE;

	setCursor(time);
	// A picture of this cursor may be drawn already, but not yet completely.
	await frame();
	for (;;) {
		stop.throwIfAborted();
		const s = v.still!();
		if (s?.shown === time) return s.canvas;
		if (performance.now() > end)
			throw new Error(`reference ${time} was not drawn in time`);
		await frame();
	}
}

function pixels(c: HTMLCanvasElement): ImageData {
	return c.getContext("2d")!.getImageData(0, 0, c.width, c.height);
}

function shot(c: HTMLCanvasElement): Promise<Blob> {
	return new Promise((yes, no) =>
		c.toBlob((b) => (b ? yes(b) : no(new Error("no picture")))),
	);
}

/** Plays pictures into a recorder, `delay` ms each. */
async function webm(shots: Blob[], delay: number, stop: AbortSignal): Promise<Blob> {
	const canvas = document.createElement("canvas");
	const first = await createImageBitmap(shots[0]!);
	const parts: Blob[] = [];

	[canvas.width, canvas.height] = [first.width, first.height];
	const c = canvas.getContext("2d")!;
	const stream = canvas.captureStream(0);
	const track = stream.getVideoTracks()[0] as CanvasCaptureMediaStreamTrack;
	const recorder = new MediaRecorder(stream, {
		mimeType: "video/webm",
		videoBitsPerSecond: BITS,
	});
	const ended = new Promise((r) => (recorder.onstop = r));
	recorder.ondataavailable = (e) => parts.push(e.data);
	recorder.start();
	const began = performance.now();
	for (const [i, shot] of shots.entries()) {
		if (stop.aborted) break;
		c.drawImage(await createImageBitmap(shot), 0, 0);
		track.requestFrame();
		const rest = began + (i + 1) * delay - performance.now();
		await new Promise((r) => setTimeout(r, Math.max(0, rest)));
	}
	recorder.stop();
	await ended;
	stop.throwIfAborted();
	return new Blob(parts, { type: "video/webm" });
}

export function canRecord(): boolean {
	return (
		typeof MediaRecorder !== "undefined" && MediaRecorder.isTypeSupported("video/webm")
	);
}

/** The movie of the shown window. Afterwards the cursor is where it was before. */
export async function makeMovie(
	v: View,
	wish: MovieWish,
	stop: AbortSignal,
	told: (done: number, of: number) => void,
): Promise<Blob> {
	const { from, to } = shownWindow.value;
	const times = momentsOf(from, to, wish.frames);
	const phases = phasesOf(times.length, to - from, Math.min(FRAMES_MAX, wish.frames));
	const all = times.length * phases;
	const delay = (1000 * wish.seconds) / all;
	const before = cursor.value;
	const png = new Apng(delay);
	const shots: Blob[] = [];

	playing.value = false;
	try {
		// The first movement starts from the moment before the window.
		if (phases > 1 && from > 0) await shows(v, from - 1, stop);
		for (const [i, time] of times.entries()) {
			v.pose?.(1);
			const canvas = await shows(v, time, stop);
			for (let k = 1; k <= phases; k++) {
				v.pose?.(k / phases);
				if (wish.kind === "png") await png.add(pixels(canvas));
				else shots.push(await shot(canvas));
				told(i * phases + k, all);
			}
		}
		return wish.kind === "png" ? png.finish() : await webm(shots, delay, stop);
	} finally {
		v.pose?.(null);
		setCursor(before);
	}
}
