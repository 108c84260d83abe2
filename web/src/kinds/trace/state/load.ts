// Fetches traces, starts simulations, keeps them up to date.
import { batch, computed, effect } from "@preact/signals";
import { ApiError } from "../../../api";
import type { Open, Place } from "../../../model/types";
import { message } from "../../../state/store";
import { activeKind, documentsOf } from "../../documents";
import { api } from "../api";
import { parseTraceLink } from "../model/link";
import type { Region, Sim, Trace } from "../model/types";
import { goToPhase } from "./follow";
import {
	ELSEWHERE,
	KIND,
	NO_FILE,
	chosenWindow,
	compared,
	counts,
	cursor,
	file,
	length,
	machine,
	opened,
	playing,
	range,
	regions,
	restore,
	reveal,
	select,
	setCursor,
	setWindow,
	showLine,
	sim,
	trace,
} from "./store";

/** Whether a view of a trace is shown. */
const active = computed(() => activeKind.value?.id === KIND);

function fault(e: unknown): void {
	if (e instanceof ApiError && (e.status === 0 || e.status === 403)) return; // the banner says it
	message.value = (e as Error).message;
}

const SOON = 300; // ms after which a long trace is shown before it is counted

/** Shows a trace. With `keep`, cursor, window and file stay as the URL set them. */
export async function openTrace(n: number, keep = false): Promise<void> {
	try {
		const all = Promise.all([api.trace(n), api.regions(n)]);
		const wait = new Promise((r) => setTimeout(r, SOON));
		const early = await Promise.race([
			all.then(() => null),
			wait.then(() => api.trace(n, undefined, true)),
		]);

		show(early ?? (await all)[0], early ? [] : (await all)[1], keep);
		const rest = async () => {
			const [t, r] = await all;
			if (trace.value?.trace !== n) return; // another one was opened meanwhile
			batch(() => {
				trace.value = t;
				regions.value = r;
			});
			await showCounts(n, keep);
		};
		// The simulation need not wait for the counts.
		if (early) rest().catch(fault);
		else await showCounts(n, keep);
	} catch (e) {
		fault(e);
	}
}

function show(t: Trace, r: Region[], keep: boolean): void {
	batch(() => {
		trace.value = t;
		regions.value = r;
		counts.value = [];
		sim.value = null;
		compared.value = null;
		if (!keep) {
			cursor.value = 0;
			opened.value = true;
			chosenWindow.value = null;
			range.value = null;
			playing.value = false;
		}
	});
}

/** Fetches the references of each line, and shows the file with the most of them. */
async function showCounts(n: number, keep: boolean): Promise<void> {
	const lines = await api.counts(n);

	if (trace.value?.trace !== n) return;
	batch(() => {
		counts.value = lines;
		if (!keep || file.value === NO_FILE) {
			file.value = costliest() ?? NO_FILE;
			revealBusiest();
		}
	});
}

/** Scrolls the source to the line that makes the most references of its file. */
function revealBusiest(): void {
	const lines = counts.value.filter((l) => l.file === file.value && l.line);
	const busiest = lines.reduce(
		(a, b) => (b.references > a.references ? b : a),
		lines[0]!,
	);

	if (busiest) reveal.value = { line: busiest.line };
}

/** The file whose lines make the most references; one with its text, if there is any. */
function costliest(): number | undefined {
	const by = new Map<number, number>();
	const kept = new Set(trace.value?.files.filter((f) => f.kept).map((f) => f.file));

	for (const l of counts.value)
		by.set(l.file ?? ELSEWHERE, (by.get(l.file ?? ELSEWHERE) ?? 0) + l.references);
	const files = [...by].sort((a, b) => b[1] - a[1]);
	return (
		(files.find(([f]) => kept.has(f)) ?? files[0])?.[0] ?? trace.value?.files[0]?.file
	);
}

async function start(text: string, of = trace.value?.trace): Promise<Sim | null> {
	if (of === undefined) return null;
	try {
		return await api.simulate(of, text);
	} catch (e) {
		fault(e);
		return null;
	}
}

/** Simulates a machine and shows it. */
export async function simulate(text: string): Promise<boolean> {
	const s = await start(text);

	if (!s) return false;
	batch(() => {
		machine.value = text;
		sim.value = s;
		if (cursor.value >= length.value) cursor.value = 0;
	});
	await catchUp(s);
	return true;
}

/** Asks again: an event between the answer and now came before the page waited for it. */
async function catchUp(s: Sim | null): Promise<void> {
	if (s?.state === "running") simChanged(await api.sim(s.sim));
}

/*
 * Simulates a machine, over this or another trace, to compare with. An empty text ends
 * comparing.
 */
export async function compare(text: string, of?: number): Promise<void> {
	const known = documentsOf(KIND).some((t) => t.number === of);

	compared.value = text ? await start(text, known ? of : undefined) : null;
	await catchUp(compared.value);
}

export async function cancel(s: Sim): Promise<void> {
	try {
		await api.cancel(s.sim);
	} catch (e) {
		fault(e);
	}
}

/** Takes over the state of a simulation from an event. */
export function simChanged(s: Sim): void {
	// An event from before the end may arrive after the answer that says the simulation has
	// ended.
	const over = (x: Sim | null) => x?.sim === s.sim && x.state !== "running";

	if (s.state === "running" && (over(sim.value) || over(compared.value))) return;
	if (
		[sim, compared].every(
			(x) => x.value?.sim !== s.sim || JSON.stringify(x.value) === JSON.stringify(s),
		)
	)
		return;
	if (sim.value?.sim === s.sim) sim.value = s;
	if (compared.value?.sim === s.sim) compared.value = s;
}

/** Starts with the trace and machine of the URL, or the first trace and the usual machine. */
export async function begin(o: Open, link: URLSearchParams): Promise<void> {
	const wanted = parseTraceLink(link);
	const traces = documentsOf(KIND);
	const first = traces.find((t) => t.number === wanted.trace) ?? traces[0]!;
	const run = async () => {
		await simulate(wanted.machine ?? o.machine);
		if (wanted.second) await compare(wanted.second, wanted.with);
	};

	opened.value = wanted.cursor === undefined && !wanted.selection;
	await openTrace(first.number, true);
	if (active.value) return run();
	// No view needs a simulation until one of this kind is shown.
	machine.value = wanted.machine ?? o.machine;
	const stop = effect(() => {
		if (!active.value) return;
		queueMicrotask(() => stop());
		if (!sim.peek()) void run();
	});
}

/** A new server knows nothing of the simulations of the one before it. */
export async function reconnect(o: Open): Promise<void> {
	const [one, other] = [machine.value, compared.value];

	if (!trace.value) return begin(o, new URLSearchParams());
	if (!sim.value) return;
	await simulate(one || o.machine);
	if (other) await compare(other.machine, other.trace);
}

/** Goes to a place that another document names: line, function, region, phase, moment. */
function goTo(place: Place): void {
	const { line, region, func, phase } = place;
	const inFile = line && fileNamed(line.path);
	const found = regions.value.find((r) => r.name === region);
	const span = trace.value?.phases.find((p) => p.name === phase);

	if (span) setWindow(span);
	if (place.window !== undefined) setWindow(place.window);
	if (place.moment !== undefined) setCursor(place.moment);
	else if (span) goToPhase(span);
	if (inFile !== undefined) showLine(inFile, line!.line);
	// A place that names its moment does not follow the selection to another one.
	const choose = place.moment !== undefined || span ? restore : select;
	if (inFile !== undefined || found || func)
		choose({
			...(inFile !== undefined ? { file: inFile, line: line!.line } : {}),
			...(found ? { region: found.region } : {}),
			...(func ? { func } : {}),
		});
}

/** The number of a file by its path, or by the end of its path. */
export function fileNamed(path: string): number | undefined {
	return trace.value?.files.find((f) => f.path === path || f.path.endsWith(`/${path}`))
		?.file;
}

/** Shows a trace on the machine of the place, or on the one that is shown. */
export async function showTrace(number: number, place: Place = {}): Promise<boolean> {
	if (trace.value?.trace !== number) await openTrace(number);
	if (!(await simulate(place.machine ?? machine.value))) return false;
	if (place.against) await compare(place.against.machine, place.against.number);
	batch(() => goTo(place));
	return true;
}
