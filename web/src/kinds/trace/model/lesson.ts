// 'Show me': which view shows a kind of finding best, and what a teacher would say about its
// misses. Pure: panels/showMe.ts asks the server and turns the page.
import { bytes, exact, percent } from "../../../model/format";
import type { Row } from "./types";

export type LessonView = "regions" | "rings" | "plane" | "space" | "eventmap";

/** How misses of a kind are played: the finder says it (lib/analyse/find/finding.h). */
export interface LessonPlan {
	name: LessonView;
	/** The cause that misses of this kind have; null: any. */
	cause: string | null;
	/** Captions compare a miss with the last touch of the same line of cache. */
	again: boolean;
	/** Captions name the thread that misses. */
	threads: boolean;
	/** A sentence about one miss; the page fills in the words in braces. */
	miss: string | null;
}

/** What is known about one of the misses. */
export interface Miss {
	time: number;
	kind: string; // read, write
	datum: string;
	level: string; // that served it
	thread: number;
	line: number; // bytes of a line of the first level
	/** The reference that the same code made before, and how many bytes behind it this one is. */
	before: { datum: string; distance: number } | null;
	/** The misses of the lesson are all this far apart. */
	steady: boolean;
	/** The last touch of the same line of cache. */
	again: { time: number; datum: string; thread: number; kind: string } | null;
	/** The set that the line goes into, and the datum whose line leaves it. */
	set: number | null;
	evicted: string;
}

/** The plan of a finding; `drawn`: its region has a known layout. */
export function planOf(row: Row, drawn: boolean): LessonPlan {
	const plan = row["view"] as LessonPlan;
	const needsLayout = plan.name === "regions" || plan.name === "plane";

	return needsLayout && !drawn ? { ...plan, name: "space" } : plan;
}

function factOf(row: Row, key: string): string {
	const v = (row["facts"] as Record<string, unknown> | undefined)?.[key];

	if (typeof v === "number") return Number.isInteger(v) ? exact(v) : v.toFixed(1);
	return typeof v === "string" ? v : "";
}

/** What to look at in a view. */
function lookOf(view: LessonView, region: string): string {
	const data = region || "the data";

	return {
		regions: `Watch ${data}: a cell lights up when the program touches it. Its upper half says whether it was read or written, its lower half which level had it.`,
		rings:
			"The core is in the middle, each cache is a ring around it, memory is outside. Watch which lines fly in and which have to leave.",
		plane: `Elements of ${data} go from top to bottom, time from left to right. Watch when the program comes back to the same element.`,
		space:
			"All of memory lies from left to right; the newest reference is on top. Watch how far each reference is from the one before.",
		eventmap:
			"Each cell is a reference, in reading order, in the colour of the level that served it. Watch the frame.",
	}[view];
}

export function introOf(view: LessonView, region: string, place: string): string {
	return `${lookOf(view, region)}${place ? ` The code is at ${place}.` : ""}`;
}

/** "It is 512 bytes behind B[3], ..." */
function away(m: Miss): string {
	const by = m.before?.distance ?? 0;

	if (!m.before || !by) return "";
	const far = Math.abs(by) < 10000 ? `${exact(Math.abs(by))} bytes` : bytes(Math.abs(by));
	return `${far} ${by > 0 ? "behind" : "before"} ${m.before.datum}`;
}

function ago(m: Miss): string {
	const n = m.again ? m.time - m.again.time : 0;

	return `${exact(n)} reference${n === 1 ? "" : "s"} ago`;
}

function ofSet(m: Miss): string {
	if (m.set === null) return "";
	return m.evicted
		? `Its line belongs into set ${exact(m.set)}, which is full: the line of ${m.evicted} has to leave, though other sets have room.`
		: `Its line belongs into set ${exact(m.set)}.`;
}

function stepped(m: Miss): string {
	const far = away(m);

	if (!far) return `It brings in a line of ${m.line} bytes.`;
	return Math.abs(m.before!.distance) >= m.line
		? `It is ${far}: another line of ${m.line} bytes, for one element.`
		: `It is ${far}, where the next line of ${m.line} bytes begins.`;
}

function scattered(m: Miss): string {
	const far = away(m);

	if (!far) return "";
	return m.steady
		? `It is ${far}, as far as each of these from the one before.`
		: `It is ${far}: nothing tells the cache where the next one is.`;
}

function shared(m: Miss): string {
	const a = m.again;

	if (!a || a.thread === m.thread) return "Another core has written to its line.";
	const verb = a.kind === "write" ? "wrote" : "read";
	return a.datum === m.datum
		? `Thread ${a.thread} ${verb} it ${ago(m)}, so the line has to come over from the other core.`
		: `Thread ${a.thread} ${verb} ${a.datum} ${ago(m)}. That is other data on the same line, and still the line has to come over.`;
}

/** A line that several cores read: each has a copy. */
function copied(m: Miss): string {
	const a = m.again;

	if (!a || a.thread === m.thread)
		return "Other threads read the same line, so each core keeps a copy of it.";
	return `Thread ${a.thread} used the same line ${ago(m)}: both cores keep a copy, and each has to bring it in.`;
}

function touched(m: Miss): string {
	const a = m.again;

	return !a || a.thread === m.thread
		? "The page of it lies where the thread runs that touched it first."
		: `Thread ${a.thread} touched it before, ${ago(m)}: its page lies there, not where thread ${m.thread} runs.`;
}

function comesBack(m: Miss): string {
	if (!m.again) return "Nothing is left of its line.";
	return `The program used this line ${ago(m)}; since then so much else has passed that it is gone.`;
}

/** What fills a word in braces; other words are facts of the finding. */
const fillings: Record<string, (m: Miss) => string> = {
	line: (m) => String(m.line),
	thread: (m) => String(m.thread),
	step: stepped,
	far: scattered,
	set: ofSet,
	back: comesBack,
	sharer: shared,
	copy: copied,
	toucher: touched,
};

/** One miss in words. */
export function missWords(row: Row, m: Miss, number: number, of: number): string {
	const plan = planOf(row, true);
	const who = plan.threads ? `thread ${m.thread} ${m.kind}s` : m.kind;
	const special = (plan.miss ?? "").replace(
		/\{(\w+)\}/g,
		(_, word: string) => fillings[word]?.(m) ?? factOf(row, word),
	);

	return `Miss ${number} of ${of}: ${who} ${m.datum}, which comes from ${m.level}.${special && ` ${special}`}`;
}

/** What the stretch behind the misses shows, which is played quickly. */
export function stretchWords(
	s: { from: number; to: number; references: number; missed: number },
	level: string,
): string {
	const how =
		s.missed === s.references
			? `All ${exact(s.references)}`
			: `${exact(s.missed)} of ${exact(s.references)}`;

	return `And so on, quickly now: the next ${exact(s.to - s.from)} references. ${how} references of this code to these data miss ${level}.`;
}

function sentence(text: string): string {
	return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** The last caption: the sum of it all, and what helps. */
export function outroOf(row: Row): string {
	const evidence = (row["evidence"] as string[] | undefined)?.[0] ?? "";
	const advice = typeof row["advice"] === "string" ? row["advice"] : "";
	const gain = row["gain"];

	return [
		evidence && sentence(evidence),
		advice && `What helps: ${sentence(advice)}`,
		typeof gain === "number" &&
			gain > 0 &&
			`It could save ${percent(gain)} of all cycles.`,
	]
		.filter(Boolean)
		.join(" ");
}
