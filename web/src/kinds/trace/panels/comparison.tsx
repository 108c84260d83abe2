// Two machines beside each other: levels of both, and the server's summary of the
// differences.
import { api } from "../api";
import { levelRows, servers } from "../model/cost";
import { cyclesOf } from "../model/waiting";
import { count, percent } from "../../../model/format";
import { simName } from "../model/twoMachines";
import { matchedTime } from "../model/matchedTime";
import type { Row, SelectAnswer, Tables } from "../model/types";
import { documentsOf } from "../../documents";
import { compare } from "../state/load";
import { latest } from "../../../state/latest";
import { goToRow } from "../state/findings";
import { match, other } from "../state/disagreements";
import { KIND, ready, compared, selection, shownWindow, trace } from "../state/store";
import { Icon } from "../../../panels/icon";
import { editMachine } from "./machine";
import { Section } from "../../../panels/section";

const SHOWN = 5; // rows of each table

const both = latest<[SelectAnswer, SelectAnswer]>(() => {
	const [a, b, sel, w] = [ready.value, other.value, selection.value, shownWindow.value];
	const m = match.value;

	if (!a || !b || !m) return null;
	// Numbers of lines and regions mean nothing in another trace: all of it is compared.
	const of = a.trace === b.trace ? sel : {};
	const there = { from: matchedTime(m, w.from), to: matchedTime(m, w.to) };
	return (abort) =>
		Promise.all([
			api.select(a.sim, of, w, undefined, abort),
			api.select(b.sim, of, there, undefined, abort),
		]);
}, 60);

/** The open trace that the other machine runs over. */
function OtherTrace() {
	const traces = documentsOf(KIND);
	const b = compared.value!;

	if (traces.length < 2) return null;
	return (
		<label class="select" title="the trace to compare with">
			<select
				aria-label="trace to compare with"
				value={b.trace}
				onChange={(e) => void compare(b.machine, Number(e.currentTarget.value))}
			>
				{traces.map((t) => (
					<option key={t.number} value={t.number}>
						{t.number === trace.value?.trace ? "this trace" : t.name}
					</option>
				))}
			</select>
		</label>
	);
}

const diff = latest<Tables>(
	() => {
		const [a, b] = [ready.value, compared.value];

		return a && b?.state === "ready" ? (abort) => api.compare(a.sim, b.sim, abort) : null;
	},
	0,
	true,
);

/** Lines or regions whose cycles differ; the server has the largest change first. */
function Changed({ title, rows }: { title: string; rows: Row[] }) {
	const changed = rows.filter((r) => r["cycles_a"] !== r["cycles_b"]).slice(0, SHOWN);

	if (!changed.length) return null;
	return (
		<table class="levels">
			<thead>
				<tr>
					<th>{title}</th>
					<th>this</th>
					<th>other</th>
					<th>change</th>
				</tr>
			</thead>
			<tbody>
				{changed.map((r) => {
					const [a, b] = [Number(r["cycles_a"] ?? 0), Number(r["cycles_b"] ?? 0)];
					return (
						<tr
							key={String(r["name"])}
							title={`select ${r["name"]}`}
							onClick={() => selectRow({ ...r, line: r["line_b"] ?? r["line_a"] }, title)}
						>
							<th class="mono small">{String(r["name"])}</th>
							<td>{count(a)}</td>
							<td>{count(b)}</td>
							<td>{change(a, b)}</td>
						</tr>
					);
				})}
			</tbody>
		</table>
	);
}

function selectRow(row: Row, title: string): void {
	if (title.startsWith("region")) goToRow({ region: row["name"] });
	else goToRow(row);
}

export function Comparison() {
	const b = compared.value!;
	const answers = both.value.value;
	const a = ready.value;
	const rows = (key: string) => (diff.value.value?.[key] as Row[] | undefined) ?? [];
	const findings = rows("findings").filter((f) => f["state"] !== "stayed");
	return (
		<Section
			title="Compared with"
			old={!both.fresh.value || !diff.fresh.value}
			side={
				<button
					class="quiet small"
					title="stop comparing"
					onClick={() => void compare("")}
				>
					<Icon name="close" />
				</button>
			}
		>
			<OtherTrace />
			<button class="link mono small" onClick={() => editMachine("compared")}>
				{simName(b)}
			</button>
			{b.state === "running" && (
				<p class="note">simulating, {percent(b.done, b.total)}</p>
			)}
			{b.state === "failed" && <p class="fault">{b.error}</p>}
			{a && answers && (
				<table class="levels">
					<thead>
						<tr>
							<th>misses</th>
							<th>this</th>
							<th>other</th>
							<th>change</th>
						</tr>
					</thead>
					<tbody>
						{servers(a.levels)
							.slice(0, -1)
							.map((name, i) => {
								const here = levelRows(answers[0], a.levels)[i]?.missed ?? 0;
								const there = levelRows(answers[1], b.levels)[i];
								return (
									<tr key={name}>
										<th>{name}</th>
										<td>{count(here)}</td>
										<td>
											{there && there.name !== "memory" ? count(there.missed) : "–"}
										</td>
										<td>
											{there && there.name !== "memory" ? change(here, there.missed) : ""}
										</td>
									</tr>
								);
							})}
						<tr>
							<th>cycles</th>
							<td>{count(cyclesOf(answers[0], a.levels))}</td>
							<td>{count(cyclesOf(answers[1], b.levels))}</td>
							<td>
								{change(cyclesOf(answers[0], a.levels), cyclesOf(answers[1], b.levels))}
							</td>
						</tr>
					</tbody>
				</table>
			)}
			<Changed title="lines, cycles" rows={rows("lines")} />
			<Changed title="regions, cycles" rows={rows("regions")} />
			{findings.slice(0, SHOWN).map((f) => (
				<p key={String(f["title"])} class="note">
					{f["state"] === "gone" ? "no longer: " : "new: "}
					{String(f["title"])}
				</p>
			))}
		</Section>
	);
}

function change(from: number, to: number): string {
	if (from === to) return "same";
	if (!from) return "new";
	if (to > 10 * from) return `× ${count(Math.round(to / from))}`;
	const p = (100 * (to - from)) / from;
	return `${p > 0 ? "+" : "−"}${Math.abs(p) >= 10 ? Math.abs(p).toFixed(0) : Math.abs(p).toFixed(1)} %`;
}
