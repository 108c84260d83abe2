// The bar above an ensemble: plot, measure, common time, smoothing.
import { parseWeights, placeOfWindow, windowAt } from "../model/ensemble";
import { bytes, count, exact, parseBytes } from "../../../model/format";
import type { ComponentChildren } from "preact";
import { Select } from "../../../panels/select";
import * as s from "../state";
import { isOverTime } from "../view/picture";

function Choice({
	name,
	label,
	value,
	list,
	usual,
	title,
}: {
	name: string;
	label: string;
	value: string;
	list: [value: string, text: string, whyNot?: string][];
	usual?: string; // the default: choosing it takes the choice back
	title?: string;
}) {
	return (
		<Select
			label={label}
			title={title}
			value={value}
			choices={list}
			set={(v) => s.choose({ [name]: v === usual ? null : v })}
		/>
	);
}

function Toggle({
	name,
	on,
	title,
	children,
}: {
	name: string;
	on: boolean;
	title: string;
	children: ComponentChildren;
}) {
	return (
		<button
			class="quiet small"
			aria-pressed={on}
			title={title}
			onClick={() => s.choose({ [name]: on ? null : "on" })}
		>
			{children}
		</button>
	);
}

/** Width of the moving average, on a logarithmic scale. */
function Smoothing() {
	const [min, max] = [s.bin.value, s.longest.value / 2];
	const auto = s.smooth.value === "auto";
	const now = s.smoothing.value;

	return (
		<span
			class="speed ensemble-slider"
			title="width of the moving average, in references"
		>
			<span class="muted">average over</span>
			<input
				type="range"
				aria-label="moving average"
				min="0"
				max="1"
				step="0.005"
				value={placeOfWindow(now, min, max)}
				onInput={(e) =>
					s.choose({
						smooth: String(windowAt(Number(e.currentTarget.value), min, max)),
					})
				}
				onChange={(e) => e.currentTarget.blur()}
			/>
			<span class="digits">{now > 0 ? count(now) : "one bin"}</span>
			<button
				class="quiet small"
				aria-pressed={auto}
				title="a hundredth of the window"
				onClick={() => s.choose({ smooth: auto ? String(now) : null })}
			>
				auto
			</button>
		</span>
	);
}

function Weights() {
	const text = s.weightsText.value;
	const names = s.levelList.value;
	const own = s.ensemble.value?.members[0]?.levels.map((l) => l.cycles) ?? [];

	return (
		<label
			class="select"
			title={`cycles of ${names.join(", ")}; empty: those of each machine`}
		>
			<span>latencies</span>
			<input
				class="ensemble-weights"
				aria-label="latencies"
				placeholder={own.join(", ")}
				value={text}
				onChange={(e) => {
					const v = e.currentTarget.value.trim();
					s.choose({ weights: v && parseWeights(v) ? v : null });
					e.currentTarget.blur();
				}}
				onKeyDown={(e) => {
					if (e.key === "Enter" || e.key === "Escape") e.currentTarget.blur();
					e.stopPropagation();
				}}
			/>
		</label>
	);
}

function memberList(none: string): [string, string][] {
	return [
		["", none],
		...(s.ensemble.value?.members ?? [])
			.filter((m) => m.done)
			.map((m): [string, string] => [String(m.member), m.label]),
	];
}

function parameterList(): [string, string][] {
	return (s.ensemble.value?.parameters ?? []).map((p) => [p.name, p.name]);
}

function Measures() {
	const names = s.levelList.value;
	const levels = s.measure.value === "served" ? names : names.slice(0, -1);

	return (
		<>
			<Choice
				name="measure"
				label=""
				title="what is plotted"
				value={s.measure.value}
				usual="time"
				list={(s.ensemble.value?.measures ?? []).map((m) => [m.id, m.label])}
			/>
			{s.measured.value?.level && (
				<Choice
					name="level"
					label=""
					title="level"
					value={String(s.level.value)}
					list={levels.map((n, i) => [String(i + 1), n])}
				/>
			)}
			{s.measure.value === "time" && <Weights />}
		</>
	);
}

function Time() {
	const traces = s.ensemble.value?.traces ?? [];

	if (traces.length < 2) return null;
	return (
		<>
			<Choice
				name="time"
				label="time"
				value={s.time.value}
				usual="raw"
				list={s.ensemble.value!.times.map((t) => [t, t, s.whyNoTime(t)])}
				title="common time of the traces"
			/>
			{s.time.value === "matched" && (
				<Choice
					name="base"
					label="to"
					title="the trace whose time the others are matched to"
					value={String(s.base.value)}
					list={traces.map((t) => [String(t.trace), t.label])}
				/>
			)}
			{s.time.value === "matched" && s.milestones.value.length > 1 && (
				<Choice
					name="match"
					label="at"
					title="milestones to match"
					value={s.match.value}
					usual=""
					list={[
						["", "those of the same name"],
						...s.milestones.value.map((x): [string, string] => [x, x]),
					]}
				/>
			)}
			{s.time.value !== "raw" && (
				<Toggle
					name="volume"
					on={s.volume.value}
					title="scale by the volume of accesses: the cost of the same work"
				>
					by volume
				</Toggle>
			)}
		</>
	);
}

/** Choices that only one of the plots has. */
function OfPlot() {
	const p = s.plot.value;
	const parameters = parameterList();

	if (p === "multiples")
		return (
			<Choice
				name="facet"
				label="a chart for each"
				value={s.facet.value < 0 ? "member" : (parameters[s.facet.value]?.[0] ?? "")}
				list={[["member", "member"], ...parameters]}
			/>
		);
	if (p === "parameter" || p === "map")
		return (
			<>
				<Choice
					name="x"
					label="along"
					value={parameters[s.alongX.value]?.[0] ?? ""}
					list={parameters}
				/>
				{parameters.length > 1 && (
					<Choice
						name="y"
						label={p === "map" ? "and" : "a line for each"}
						value={parameters[s.alongY.value]?.[0] ?? ""}
						list={parameters.filter((_, i) => i !== s.alongX.value)}
					/>
				)}
			</>
		);
	if (p !== "workingset" && p !== "shared") return null;
	return (
		<>
			<Choice
				name="size"
				label="size"
				value={s.size.value}
				list={s.sizes.value.map((x) => [x.name, x.name])}
			/>
			{p === "workingset" ? (
				<Choice
					name="tolerance"
					label="agree within"
					value={String(s.tolerance.value)}
					usual="0.05"
					list={["0.01", "0.02", "0.05", "0.1", "0.2"].map((v) => [
						v,
						`${Number(v) * 100} %`,
					])}
				/>
			) : (
				<Sharing />
			)}
		</>
	);
}

function Sharing() {
	return (
		<>
			<Choice
				name="threads"
				label="threads"
				value={String(s.threads.value)}
				usual="2"
				list={["2", "3", "4", "6", "8"].map((v) => [v, v])}
			/>
			<label class="select" title="size that the threads share, in bytes">
				<span>share</span>
				<input
					class="ensemble-number"
					aria-label="total size"
					value={bytes(s.total.value ?? s.sharedCache.value?.total ?? 0)}
					onChange={(e) => {
						const n = parseBytes(e.currentTarget.value);
						s.choose({ total: n ? String(n) : null });
						e.currentTarget.blur();
					}}
				/>
			</label>
			<label class="select" title="by how many references threads may run apart">
				<span>shift up to</span>
				<input
					class="ensemble-number"
					aria-label="shift"
					value={exact(s.shift.value ?? s.sharedCache.value?.shift ?? 0)}
					onChange={(e) => {
						const n = Number(e.currentTarget.value.replace(/[, ]/g, ""));
						s.choose({ shift: n >= 0 ? String(n) : null });
						e.currentTarget.blur();
					}}
				/>
			</label>
			<Choice
				name="real"
				label="real"
				title="a member simulated on several cores, to judge the model by"
				value={s.real.value === null ? "" : String(s.real.value)}
				usual=""
				list={memberList("none")}
			/>
		</>
	);
}

export function EnsembleBar() {
	const p = s.plot.value;

	if (!s.ensemble.value) return <div class="view-bar" />;
	return (
		<div class="ensemble-bar">
			<div class="view-bar">
				<span class="ensemble-plots" role="group" aria-label="plot">
					{s.plots.value.map(({ id, title, help }) => (
						<button
							key={id}
							class="quiet small"
							title={s.whyNoPlot(id) || help}
							disabled={!!s.whyNoPlot(id)}
							aria-pressed={p === id}
							onClick={() => s.choosePlot(id)}
						>
							{title}
						</button>
					))}
				</span>
				<span class="ensemble-right">
					<OfPlot />
				</span>
			</div>
			<div class="view-bar">
				<Measures />
				<Time />
				{p !== "shared" && (
					<Choice
						name="against"
						label="minus"
						title="a member whose values are subtracted"
						value={s.against.value === null ? "" : String(s.against.value)}
						usual=""
						list={memberList("nothing")}
					/>
				)}
				<span class="ensemble-right">
					{p === "curves" && (
						<Toggle
							name="deviation"
							on={s.envelope.value}
							title="standard deviation within the moving average, as envelopes (E)"
						>
							deviation
						</Toggle>
					)}
					{isOverTime(p) && (
						<Toggle
							name="peaks"
							on={s.peaks.value}
							title="include rare peaks in the range, although the rest becomes flat"
						>
							peaks
						</Toggle>
					)}
					{isOverTime(p) && <Smoothing />}
				</span>
			</div>
		</div>
	);
}
