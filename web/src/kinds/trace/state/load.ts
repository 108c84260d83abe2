// What is open: fetches traces, starts simulations, keeps them up to date.
import { batch, effect } from "@preact/signals";
import { api, ApiError, listen } from "../../../api";
import type { Region, Sim, Trace } from "../../../model/types";
import {
	ELSEWHERE,
	NO_FILE,
	chosenWindow,
	connection,
	counts,
	cursor,
	file,
	length,
	machine,
	message,
	open,
	playing,
	regions,
	second,
	reveal,
	sim,
	trace,
	view,
} from "../../../state/store";

function fault(e: unknown): void {
	if (e instanceof ApiError && (e.status === 0 || e.status === 403)) return; // the overlay says it
	message.value = (e as Error).message;
}

const SOON = 300; // ms after which a long trace is shown before it is counted

/** Shows a trace. What the URL said of cursor and window stays only on the first one. */
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
		second.value = null;
		if (!keep) {
			cursor.value = 0;
			chosenWindow.value = null;
			playing.value = false;
		}
	});
}

/** What lines made references, and the file that made most of them. */
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

/** What changed between the answer and now was told when nobody waited for it yet. */
async function catchUp(s: Sim | null): Promise<void> {
	if (s?.state === "running") simChanged(await api.sim(s.sim));
}

/** Simulates a machine over this or another trace to compare with; an empty text ends it. */
export async function compare(text: string, of?: number): Promise<void> {
	const known = open.value?.traces.some((t) => t.trace === of);

	second.value = text ? await start(text, known ? of : undefined) : null;
	await catchUp(second.value);
}

export async function cancel(s: Sim): Promise<void> {
	try {
		await api.cancel(s.sim);
	} catch (e) {
		fault(e);
	}
}

function simChanged(s: Sim): void {
	// What was told before it ended may be heard after the answer that it has.
	const over = (x: Sim | null) => x?.sim === s.sim && x.state !== "running";

	if (s.state === "running" && (over(sim.value) || over(second.value))) return;
	if (
		[sim, second].every(
			(x) => x.value?.sim !== s.sim || JSON.stringify(x.value) === JSON.stringify(s),
		)
	)
		return;
	if (sim.value?.sim === s.sim) sim.value = s;
	if (second.value?.sim === s.sim) second.value = s;
}

/** Opens the page: what the server has, the trace and machine of the URL or the first. */
export async function begin(wanted: {
	trace?: number;
	machine?: string;
	second?: string;
	with?: number;
	view?: string;
}): Promise<void> {
	const first = async () => {
		const o = await api.open();

		if (o.ensembles?.length && !wanted.view) view.value = "ensemble";
		open.value = o;
		const n = o.traces.some((t) => t.trace === wanted.trace)
			? wanted.trace!
			: o.traces[0]?.trace;
		if (n === undefined) return;
		await openTrace(n, true);
		const run = async () => {
			await simulate(wanted.machine ?? o.machine);
			if (wanted.second) await compare(wanted.second, wanted.with);
		};
		if (view.value !== "ensemble" || !o.ensembles?.length) return run();
		// Nothing asks for a simulation until another view is chosen.
		machine.value = wanted.machine ?? o.machine;
		const stop = effect(() => {
			if (view.value === "ensemble") return;
			queueMicrotask(() => stop());
			if (!sim.peek()) void run();
		});
	};
	// A new server knows nothing of the simulations of the one before it.
	const again = async () => {
		const [one, two] = [machine.value, second.value];

		open.value = await api.open();
		if (!trace.value) return first();
		if (!sim.value) return;
		await simulate(one || open.value.machine);
		if (two) await compare(two.machine, two.trace);
	};

	listen({
		sim: simChanged,
		connection: (c) => (connection.value = c),
		back: () => void again().catch(fault),
	});
	await first().catch(fault);
}
