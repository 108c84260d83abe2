// Cache temperature: its colour scale and its scores. lib/analyse/passes/temperature.h defines
// it; the server computes it.

/** How warm a level is from 0 to 1: -1 and below is cold, +1 is as warm as it gets. */
export function warmth(temperature: number): number {
	return Math.max(0, Math.min(1, (temperature + 1) / 2));
}

/** "−7.0, cold": most accesses miss; "+0.9, warm": most of them hit. */
export function temperatureText(t: number): string {
	const word = t <= -0.5 ? ", cold" : t >= 0.5 ? ", warm" : "";

	return `${t < 0 ? "−" : "+"}${Math.abs(t).toFixed(1)}${word}`;
}

/** Parameters of the server; a missing one has its default. */
export interface Scores {
	window?: number; // references that are averaged
	hit?: string; // "1,1,1": the innermost level first
	miss?: string; // "-7,-3,-1"
}

export const USUAL = { window: 1000, hit: [1, 1, 1, 1], miss: [-7, -3, -1, -1] };
const WINDOW_MAX = 65536;

/** The numbers of a text, or the defaults. */
function list(text: string, usual: number[], levels: number): number[] {
	const given = text.split(",");

	return Array.from({ length: levels }, (_, i) => {
		const v = given[i]?.trim() ? Number(given[i]) : NaN;
		return Number.isFinite(v) ? v : usual[Math.min(i, usual.length - 1)]!;
	});
}

/** "1000;1,1;-7,-3": scores of so many levels, as the URL keeps them. */
export function parseScores(text: string, levels: number) {
	const [window, hit, miss] = text.split(";");
	const n = Math.round(Number(window));

	return {
		window: n > 0 && n <= WINDOW_MAX ? n : USUAL.window,
		hit: list(hit ?? "", USUAL.hit, levels),
		miss: list(miss ?? "", USUAL.miss, levels),
	};
}

/** The text of scores; empty if all are the defaults. */
export function printScores(s: ReturnType<typeof parseScores>): string {
	const usual = parseScores("", s.hit.length);
	const text = (x: typeof s) => `${x.window};${x.hit.join(",")};${x.miss.join(",")}`;

	return text(s) === text(usual) ? "" : text(s);
}

/** Scores as parameters of a request. */
export function scoreParams(text: string, levels: number): Scores {
	if (!text) return {};
	const s = parseScores(text, levels);

	return { window: s.window, hit: s.hit.join(","), miss: s.miss.join(",") };
}
