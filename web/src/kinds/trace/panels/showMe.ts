// 'Show me': plays a few misses of a finding slowly, in the view that shows them best, with
// captions (state/captions.ts). model/lesson.ts has the words.
import { asking } from "../../../state/latest";
import { beginTalk, type Caption } from "../../../state/captions";
import { message, options, setOption, view } from "../../../state/store";
import { mounted } from "../../../views/mounted";
import { api } from "../api";
import { caches, missesOf } from "../model/cost";
import {
	introOf,
	missWords,
	outroOf,
	planOf,
	stretchWords,
	type LessonPlan,
	type Miss,
} from "../model/lesson";
import { isNothing, selectionParams, type Selection } from "../model/selection";
import { drawable } from "../model/usualRegions";
import type { At, Row, Sim } from "../model/types";
import { shownRegions, trailLength } from "../regions/frames";
import { placeOfRow } from "../state/findings";
import {
	chosenWindow,
	length,
	names,
	playing,
	ready,
	regionOf,
	restore,
	setCursor,
	setWindow,
	showLine,
	slowness,
	stepTo,
} from "../state/store";

const MISSES = 4;
const SWEEP = 4000; // ms in which the stretch behind the misses is played
const LONGEST = 4096; // references of that stretch
const SLOW = 3; // times slower than usual
const PATIENCE = 2500; // ms for a view to draw a moment
const [EVICT, WRITE_BACK] = [2, 3]; // kinds of movements
const AROUND = 0.15; // of a window, beside what it is about

/** The next miss of a place; null: there is none. */
async function nextMiss(
	s: Sim,
	place: Selection,
	cause: string | null,
	from: number,
): Promise<number | null> {
	const ask = (more: Selection) =>
		api.step(s.sim, from, "selection", 1, selectionParams({ ...place, ...more }));

	if (cause) return ask({ cause });
	// Served by any level but the first.
	const levels = caches(s.levels).map((_, i) => i + 2);
	const found = await Promise.all(levels.map((level) => ask({ level })));
	const times = found.filter((t): t is number => t !== null);
	return times.length ? Math.min(...times) : null;
}

async function missTimes(
	s: Sim,
	place: Selection,
	cause: string | null,
): Promise<number[]> {
	const out: number[] = [];

	for (let from = 0; out.length < MISSES; from = out.at(-1)!) {
		const at = await nextMiss(s, place, cause, from);
		if (at === null) break;
		out.push(at);
	}
	// The server may not know causes: then any misses will do.
	return out.length || !cause ? out : missTimes(s, place, null);
}

/** The reference before a moment that has some properties, in words. */
async function lastOf(s: Sim, at: number, of: Selection): Promise<At | null> {
	const time = await api.step(s.sim, at, "selection", -1, selectionParams(of));

	return time === null ? null : api.at(s.sim, time);
}

async function missAt(
	s: Sim,
	time: number,
	place: Selection,
	plan: LessonPlan,
): Promise<Miss> {
	const line = caches(s.levels)[0]?.line ?? 64;
	const [at, moves] = await Promise.all([api.at(s.sim, time), api.moves(s.sim, time, 1)]);
	const before = await lastOf(s, time, place);
	const first = at.offset - (Number(at.addr) % line);
	const again = plan.again
		? await lastOf(s, time, {
				region: at.region,
				offset: [Math.max(0, first), first + line],
			})
		: null;
	const leaves = moves.kind.findIndex(
		(k, i) => (k === EVICT || k === WRITE_BACK) && moves.source[i] === 1,
	);

	return {
		time,
		kind: at.kind,
		datum: at.datum || names.region(at.region),
		level: names.level(at.served),
		steady: false, // until all are known
		thread: at.thread,
		line,
		before: before && {
			datum: before.datum,
			distance: Number(at.addr) - Number(before.addr),
		},
		again,
		set: leaves < 0 ? null : moves.set[leaves]!,
		evicted: at.evicted ?? "",
	};
}

/** Waits until the view has drawn a moment, or for as long as a person would. */
async function drawn(time: number, left: () => boolean): Promise<void> {
	const end = performance.now() + PATIENCE;

	while (!left() && performance.now() < end) {
		const shown = mounted["view"]?.still?.()?.shown;
		if (shown === undefined || shown === time) return;
		await new Promise((r) => requestAnimationFrame(r));
	}
}

/** Plays a stretch quickly. */
function sweep(from: number, to: number, left: () => boolean): Promise<void> {
	const began = performance.now();
	const quiet = matchMedia("(prefers-reduced-motion: reduce)").matches;

	return new Promise((done) => {
		const tick = () => {
			const share = quiet ? 1 : Math.min(1, (performance.now() - began) / SWEEP);
			if (left()) return done();
			setCursor(from + share * (to - from));
			if (share < 1) requestAnimationFrame(tick);
			else done();
		};
		tick();
	});
}

/** Changes options until the returned function is called; a choice of the person stays. */
function borrow(changes: Record<string, string>): () => void {
	const before = options.peek();

	for (const [key, value] of Object.entries(changes)) setOption(key, value);
	return () => {
		const now = { ...options.peek() };
		for (const [key, value] of Object.entries(changes)) {
			if (now[key] !== value) continue;
			if (before[key] === undefined) delete now[key];
			else now[key] = before[key];
		}
		options.value = now;
	};
}

/** Options under which the view shows a region best. */
function stageFor(plan: LessonPlan, region: number | undefined): Record<string, string> {
	const n = region ?? -1;

	if (plan.name === "plane") return { "plane.region": String(n), "plane.part": "" };
	if (plan.name === "rings") return { "rings.zoom": "", "rings.tail": "auto" };
	if (plan.name !== "regions") return {};
	const shown = shownRegions();
	return {
		"regions.mode": "trail",
		"regions.active": String(n),
		...(shown.includes(n) ? {} : { "regions.show": [n, ...shown].join(",") }),
	};
}

/** The part of the run that the view has to show; null: the window stays. */
function windowOf(
	plan: LessonPlan,
	misses: Miss[],
	end: number,
): { from: number; to: number } | null {
	const times = [...misses.flatMap((m) => [m.time, m.again?.time ?? m.time]), end];
	const [from, to] = [Math.min(...times), Math.max(...times)];
	const around = Math.max(32, AROUND * (to - from));

	if (plan.name !== "plane" && plan.name !== "eventmap") return null;
	return { from: from - around, to: to + around };
}

/** The references behind the misses that are played quickly, and how they fared. */
interface Stretch {
	from: number;
	to: number;
	references: number; // of the finding's place
	missed: number;
}

async function stretchBehind(
	s: Sim,
	place: Selection,
	plan: LessonPlan,
	from: number,
): Promise<Stretch> {
	const long =
		plan.name === "regions" ? trailLength() : plan.name === "rings" ? 256 : 1024;
	const to = Math.min(length.peek(), from + Math.min(LONGEST, long));
	const { references, served } = await api.select(s.sim, place, { from, to });

	return { from, to, references, missed: missesOf(served, 0) };
}

function begin(
	row: Row,
	place: Selection,
	plan: LessonPlan,
	misses: Miss[],
	next: Stretch,
): void {
	const region = place.region !== undefined ? regionOf(place.region) : undefined;
	const where =
		place.line !== undefined ? `${names.file(place.file!)}:${place.line}` : "";
	const before = chosenWindow.peek();
	const wanted = windowOf(plan, misses, next.to);
	const captions: Caption[] = [
		{
			text: introOf(plan.name, region ? names.region(region.region) : "", where),
			show: () => setCursor(Math.max(0, misses[0]!.time - 1)),
		},
		...misses.map((m, i) => ({
			text: missWords(row, m, i + 1, misses.length),
			show: async (left: () => boolean) => {
				stepTo(m.time);
				await drawn(m.time, left);
			},
		})),
		{
			text: stretchWords(next, names.level(1)),
			show: (left) => sweep(next.from, next.to - 1, left),
		},
		{ text: outroOf(row), at: ".findings .open" },
	];

	playing.value = false;
	view.value = plan.name;
	const giveBack = borrow(stageFor(plan, place.region));
	restore(place);
	if (place.line !== undefined) showLine(place.file!, place.line);
	if (wanted) setWindow(wanted);
	const set = chosenWindow.peek();
	slowness.value = SLOW;
	beginTalk({
		title: String(row["title"] ?? row["kind"]),
		captions,
		plays: true,
		ended() {
			slowness.value = 1;
			giveBack();
			if (wanted && chosenWindow.peek() === set) setWindow(before);
		},
	});
}

/** Plays a finding. */
export async function showMe(row: Row): Promise<void> {
	const s = ready.peek();
	const place = placeOfRow(row);
	const region = place.region !== undefined ? regionOf(place.region) : undefined;
	const plan = planOf(row, !!region && drawable(region));

	if (!s || isNothing(place)) {
		message.value = "This finding is about no place that can be shown.";
		return;
	}
	asking.value++;
	try {
		const times = await missTimes(s, place, plan.cause);
		const misses: Miss[] = [];
		for (const t of times) misses.push(await missAt(s, t, place, plan));
		const steps = new Set(misses.slice(1).map((m) => m.before?.distance));
		for (const m of misses) m.steady = misses.length > 2 && steps.size === 1;
		if (misses.length)
			begin(
				row,
				place,
				plan,
				misses,
				await stretchBehind(s, place, plan, misses.at(-1)!.time),
			);
		else message.value = "No miss of this finding was found.";
	} catch (e) {
		message.value = (e as Error).message;
	} finally {
		asking.value--;
	}
}
