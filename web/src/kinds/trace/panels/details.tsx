// Details: the reference at the cursor, the selection, the levels, findings, the run.
import { api } from "../api";
import { levelRows, sum } from "../model/cost";
import { count, exact, percent } from "../../../model/format";
import { cyclesOf, waitingOf } from "../model/waiting";
import { isNothing, selectionWords, without } from "../model/selection";
import type { At, Row, Tables } from "../model/types";
import { current } from "../state/currentReference";
import { canRedo, canUndo, redo, undo } from "../../../state/history";
import {
	select,
	chosenWindow,
	cursor,
	hover,
	names,
	onTopName,
	playing,
	ready,
	regionOf,
	compared,
	selection,
	setCursor,
	showLine,
	sim,
	trace,
} from "../state/store";
import { latest } from "../../../state/latest";
import { open, option, setOption } from "../../../state/store";
import { FOLLOW } from "../state/follow";
import { inWindow, selected, selectedFresh, windowFresh } from "../state/windowCounts";
import { Bar, LevelMark } from "./bar";
import { Comparison } from "./comparison";
import { DatumHistory } from "./datum";
import { Findings } from "./findings";
import { Range } from "./range";
import { Icon } from "../../../panels/icon";
import { Section } from "../../../panels/section";

function Place({ at }: { at: At }) {
	const { file, line } = at;

	if (file === null || !line) return <span class="muted">{at.object || "unknown"}</span>;
	return (
		<button
			class="link mono"
			onClick={() => {
				showLine(file, line);
				select({ file, line });
			}}
		>
			{names.file(file)}:{line}
		</button>
	);
}

function Now() {
	const at = current.value;
	// While playing, the words are those of a moment ago, and so is their number.
	const time = playing.value && at ? at.time : cursor.value;

	return (
		<Section
			title="Now"
			side={<span class="digits">{exact(time)}</span>}
			old={at !== null && at.time !== time}
		>
			{!at && (
				<p class="note">
					{sim.value?.state === "running"
						? "The simulation is still running."
						: "Nothing is simulated yet."}
				</p>
			)}
			{at && (
				<>
					<p class="caption">
						<LevelMark level={at.served} /> {at.caption}
					</p>
					<dl>
						<dt>datum</dt>
						<dd>
							<button class="link mono" onClick={() => select({ region: at.region })}>
								{at.datum || names.region(at.region)}
							</button>
						</dd>
						<dt>address</dt>
						<dd class="mono">
							{at.addr} <span class="muted">{at.size} B</span>
						</dd>
						<dt>line</dt>
						<dd>
							<Place at={at} />
							{at.func && <span class="muted"> {at.func}()</span>}
						</dd>
						{(trace.value?.threads.length ?? 0) > 1 && (
							<>
								<dt>thread</dt>
								<dd>{at.thread}</dd>
							</>
						)}
						{at.causes?.some((c) => c && c !== "none") && (
							<>
								<dt>causes</dt>
								<dd>
									{at.causes.map(
										(c, i) =>
											c &&
											c !== "none" && (
												<span key={i} class="cause">
													{names.level(i + 1)} {c}
												</span>
											),
									)}
								</dd>
							</>
						)}
					</dl>
				</>
			)}
		</Section>
	);
}

/** Whether selecting moves the cursor to where the selection happens next. */
function Follow() {
	const on = option(FOLLOW, "yes") === "yes";

	return (
		<button
			class="quiet small"
			title="selecting moves the cursor to where the selection happens next"
			aria-label="cursor follows the selection"
			aria-pressed={on}
			onClick={() => setOption(FOLLOW, on ? "no" : "yes")}
		>
			<Icon name="goto" />
		</button>
	);
}

function Selected() {
	const s = selection.value;
	const words = selectionWords(s, names);
	const region = s.region !== undefined ? regionOf(s.region) : undefined;
	const preview = selectionWords(hover.value, names)
		.map((w) => w.text)
		.join(" ");

	return (
		<Section
			title="Selection"
			side={
				<>
					<Follow />
					<button
						class="quiet small"
						title="undo (Ctrl Z)"
						disabled={!canUndo.value}
						onClick={undo}
					>
						<Icon name="undo" />
					</button>
					<button
						class="quiet small"
						title="redo (Ctrl Shift Z)"
						disabled={!canRedo.value}
						onClick={redo}
					>
						<Icon name="redo" />
					</button>
				</>
			}
		>
			<div class="chips">
				{words.map((w) => (
					<span key={w.part} class="chip">
						{w.text}
						<button title="remove" onClick={() => select(without(s, w.part))}>
							<Icon name="close" />
						</button>
					</span>
				))}
				{!words.length && <span class="everything">all references</span>}
			</div>
			{region && (
				<p class="note">
					{region.kind} {region.type}
					{(region.dims ?? []).map((d) => `[${d}]`).join("")} · {exact(region.size)} bytes
					{region.blocks > 1 ? ` in ${exact(region.blocks)} blocks` : ""}
					{region.low ? ` at ${region.low}` : ""}
				</p>
			)}
			<p class="preview">
				{preview ? (
					<>
						pointing at <b>{preview}</b>
					</>
				) : words.length ? (
					"Esc selects all again"
				) : (
					"click a line, region or level to narrow it"
				)}
			</p>
		</Section>
	);
}

const profile = latest<Tables>(
	() => {
		const s = ready.value;

		return s ? (abort) => api.profile(s.sim, 1, abort) : null;
	},
	0,
	true,
);

/*
 * Causes of the misses of each level over the whole run: "L1: 1.5k cold, 14.5k capacity".
 */
function Causes() {
	const rows = (profile.value.value?.["levels"] as Row[] | undefined) ?? [];
	const told = rows.flatMap((r) => {
		const parts = (open.value?.causes ?? []).filter((k) => Number(r[k]) > 0);
		return parts.length ? [{ level: String(r["level"]), row: r, parts }] : [];
	});

	if (!told.length || chosenWindow.value) return null;
	return (
		<table class="levels causes">
			<tbody>
				{told.map(({ level, row, parts }) => (
					<tr key={level}>
						<th>{level}</th>
						<td>
							{parts.map((k) => (
								<button
									key={k}
									class="link"
									title={`select ${k.replace("_", " ")} misses`}
									onClick={() => select({ ...selection.value, cause: k })}
								>
									{count(Number(row[k]))} {k.replace("_", " ")}
								</button>
							))}
						</td>
					</tr>
				))}
			</tbody>
		</table>
	);
}

function Levels() {
	const a = isNothing(selection.value) ? inWindow.value : selected.value;
	const s = ready.value;

	if (!s || !a) return null;
	const rows = levelRows(a, s.levels);
	const waits = waitingOf(a.waiting);
	const onTop = a.waiting.at(-1) ?? 0;
	const fresh = isNothing(selection.value)
		? windowFresh.value && profile.fresh.value
		: selectedFresh.value;

	return (
		<Section
			title="Levels"
			old={!fresh}
			side={
				<span class="muted">
					{isNothing(selection.value) ? "all references" : "selection"}
					{chosenWindow.value ? " in the window" : ""}
				</span>
			}
		>
			<Bar parts={a.served} of={a.references || 1} />
			<table class="levels">
				<thead>
					<tr>
						<th>level</th>
						<th>served</th>
						<th>missed</th>
						<th>ratio</th>
						<th title="cycles beyond those of the first level">waiting</th>
					</tr>
				</thead>
				<tbody>
					{rows.map((r, i) => (
						<tr
							key={r.name}
							class={selection.value.level === i + 1 ? "chosen" : ""}
							onClick={() =>
								select(
									selection.value.level === i + 1
										? without(selection.value, "level")
										: { ...selection.value, level: i + 1 },
								)
							}
							title={`select references served by ${r.name}`}
						>
							<th>
								<LevelMark level={i + 1} /> {r.name}
							</th>
							<td>{count(r.asked - r.missed)}</td>
							<td>{r.name === "memory" ? "" : count(r.missed)}</td>
							<td>{r.name === "memory" ? "" : percent(r.ratio)}</td>
							<td>{waits ? percent(Math.max(0, r.waiting), waits) : "–"}</td>
						</tr>
					))}
					{onTop > 0 && (
						<tr
							class="on-top"
							title={`cycles on top of those of the levels: ${onTopName.value}`}
						>
							<th>
								<LevelMark level={rows.length + 1} /> {onTopName.value}
							</th>
							<td />
							<td />
							<td />
							<td>{percent(onTop, waits)}</td>
						</tr>
					)}
				</tbody>
			</table>
			<p class="note">
				{exact(a.references)} references, {count(waits)} cycles waiting;{" "}
				{a.references ? (cyclesOf(a, s.levels) / a.references).toFixed(2) : "–"} cycles
				each on average
			</p>
			{isNothing(selection.value) && <Causes />}
		</Section>
	);
}

function Run() {
	const t = trace.value;

	if (!t) return null;
	const missing = sum(t.gaps.map((g) => g.count)); // 0: nobody counted them
	return (
		<Section title="Run">
			<dl>
				<dt>command</dt>
				<dd class="mono">{t.command || "–"}</dd>
				<dt>references</dt>
				<dd class="digits">{exact(t.references)}</dd>
				<dt>reads, writes</dt>
				<dd class="digits">
					{t.counted
						? `${percent(t.reads, t.references)}, ${percent(t.writes, t.references)}`
						: "counting …"}
				</dd>
				<dt>recorded by</dt>
				<dd>{t.back_end}</dd>
				{t.threads.length > 1 && (
					<>
						<dt>threads</dt>
						<dd class="apart">
							{t.threads.slice(0, 8).map((x) => (
								<button
									key={x.thread}
									class="link"
									title={`${exact(x.references)} references`}
									onClick={() => select({ thread: x.thread }, true)}
								>
									{x.name || x.thread}
								</button>
							))}
							{t.threads.length > 8 && (
								<span class="muted">and {t.threads.length - 8} more</span>
							)}
						</dd>
					</>
				)}
			</dl>
			{t.damage && <p class="warning">{t.damage}</p>}
			{t.gaps.length > 0 && (
				<p class="warning">
					{missing > 0 ? exact(missing) : "An unknown number of"} references are missing
					in {t.gaps.length} gap{t.gaps.length > 1 ? "s" : ""} ({t.gaps[0]!.reason}):{" "}
					<button class="link" onClick={() => setCursor(t.gaps[0]!.time)}>
						go to the first
					</button>
				</p>
			)}
		</Section>
	);
}

export function Details() {
	return (
		<aside class="details right-pane">
			<Range />
			<Findings />
			<Now />
			<Selected />
			<DatumHistory />
			<Levels />
			{compared.value && <Comparison />}
			<Run />
		</aside>
	);
}
