// The numbers of an ensemble's plot as CSV and JSON.
import type {
	Curves,
	CurveQuery,
	Ensemble,
	Ranking,
	SharedCache,
	WorkingSet,
} from "./ensemble";
import { cellTime } from "../../../model/cells";

function csvCell(v: string | number | null): string {
	if (v === null || (typeof v === "number" && !Number.isFinite(v))) return "";
	const text = String(v);

	return /[",\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}

function lines(rows: (string | number | null)[][]): string {
	return rows.map((r) => r.map(csvCell).join(",")).join("\n") + "\n";
}

/** A 32-bit number with no more digits than it has. */
function short(v: number): number {
	return Number(v.toPrecision(7));
}

function labels(e: Ensemble, members: Iterable<number>): string[] {
	return [...members].map(
		(n) => e.members.find((m) => m.member === n)?.label ?? String(n),
	);
}

/** One row for each cell: its time, and the value of each member there. */
export function curvesCsv(e: Ensemble, c: Curves, ws: WorkingSet | null = null): string {
	const same = ws && ws.cells === c.cells;
	const rows: (string | number | null)[][] = [
		[
			"time",
			...labels(e, c.members),
			"average",
			"spread",
			...(same ? ["working set"] : []),
		],
	];

	for (let i = 0; i < c.cells; i++)
		rows.push([
			short(cellTime(c, i)),
			...c.members.map((_, row) => short(c.mean[row * c.cells + i]!)),
			short(c.average[i]!),
			short(c.spread[i]!),
			...(same ? [ws.bytes[i]!] : []),
		]);
	return lines(rows);
}

/** One row for each member: its parameters and its value, the best first. */
export function rankingCsv(e: Ensemble, window: Ranking, run: Ranking | null): string {
	const whole = new Map(run?.rows.map((r) => [r.member, r.value]));

	return lines([
		["member", "label", ...e.parameters.map((p) => p.name), "value", "run", "references"],
		...window.rows.map((r) => {
			const m = e.members.find((x) => x.member === r.member);
			return [
				r.member,
				m?.label ?? "",
				...e.parameters.map((_, i) => m?.values[i] ?? null),
				r.value,
				whole.get(r.member) ?? null,
				r.references,
			];
		}),
	]);
}

/** One row for each way to share the cache: its members, how many starve, its value. */
export function sharedCacheCsv(e: Ensemble, s: SharedCache): string {
	return lines([
		[
			...Array.from({ length: s.threads }, (_, i) => `thread ${i + 1}`),
			"starved",
			"value",
		],
		...Array.from({ length: s.ways }, (_, w) => [
			...labels(e, s.member.subarray(w * s.threads, (w + 1) * s.threads)),
			s.starved[w]!,
			short(s.value[w]!),
		]),
	]);
}

export function plotJson(
	e: Ensemble,
	plot: string,
	query: CurveQuery,
	parts: {
		curves: Curves | null;
		window: Ranking | null;
		run: Ranking | null;
		workingSet: WorkingSet | null;
		shared: SharedCache | null;
	},
): string {
	const list = (v: Float32Array, row = 0, n = v.length) =>
		Array.from(v.subarray(row * n, (row + 1) * n), (x) =>
			Number.isFinite(x) ? short(x) : null,
		);
	const { curves: c, workingSet: ws, shared: s } = parts;

	return (
		JSON.stringify(
			{
				ensemble: e.name,
				plot,
				query,
				parameters: e.parameters.map((p) => p.name),
				curves: c && {
					from: c.from,
					to: c.to,
					cells: c.cells,
					unit: c.unit,
					members: c.members.map((n, row) => {
						const m = e.members.find((x) => x.member === n);
						return {
							member: n,
							label: m?.label,
							machine: m?.machine,
							values: m?.values,
							mean: list(c.mean, row, c.cells),
							deviation: list(c.deviation, row, c.cells),
						};
					}),
					average: list(c.average),
					spread: list(c.spread),
				},
				window: parts.window,
				run: parts.run,
				workingSet: ws && { from: ws.from, to: ws.to, bytes: list(ws.bytes) },
				shared: s && {
					from: s.from,
					to: s.to,
					threads: s.threads,
					ways: Array.from({ length: s.ways }, (_, w) => ({
						members: labels(e, s.member.subarray(w * s.threads, (w + 1) * s.threads)),
						starved: s.starved[w],
						value: short(s.value[w]!),
						mean: list(s.mean, w, s.cells),
					})),
				},
			},
			null,
			1,
		) + "\n"
	);
}
