// What is open: fetches traces, starts simulations, keeps them up to date.
import { batch } from "@preact/signals";
import { api, ApiError, listen } from "../api";
import type { Sim } from "../model/types";
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
} from "./store";

function fault(e: unknown): void {
	if (e instanceof ApiError && (e.status === 0 || e.status === 403)) return; // the overlay says it
	message.value = (e as Error).message;
}

/** Shows a trace. What the URL said of cursor and window stays only on the first one. */
export async function openTrace(n: number, keep = false): Promise<void> {
	try {
		const [t, r] = await Promise.all([api.trace(n), api.regions(n)]);

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
		const lines = await api.counts(n);
		batch(() => {
			counts.value = lines;
			if (!keep || file.value === NO_FILE) {
				file.value = costliest() ?? NO_FILE;
				revealBusiest();
			}
		});
	} catch (e) {
		fault(e);
	}
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

async function start(text: string): Promise<Sim | null> {
	if (!trace.value) return null;
	try {
		return await api.simulate(trace.value.trace, text);
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

/** Simulates a machine to compare the first one with; an empty text ends comparing. */
export async function compare(text: string): Promise<void> {
	second.value = text ? await start(text) : null;
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
}): Promise<void> {
	const first = async () => {
		const o = await api.open();

		open.value = o;
		const n = o.traces.some((t) => t.trace === wanted.trace)
			? wanted.trace!
			: o.traces[0]?.trace;
		if (n === undefined) return;
		await openTrace(n, true);
		await simulate(wanted.machine ?? o.machine);
		if (wanted.second) await compare(wanted.second);
	};
	// A new server knows nothing of the simulations of the one before it.
	const again = async () => {
		const [one, two] = [machine.value, second.value?.machine];

		open.value = await api.open();
		if (!trace.value) return first();
		await simulate(one || open.value.machine);
		if (two) await compare(two);
	};

	listen({
		sim: simChanged,
		connection: (c) => (connection.value = c),
		back: () => void again().catch(fault),
	});
	await first().catch(fault);
}
