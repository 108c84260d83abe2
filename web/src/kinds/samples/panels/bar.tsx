// The bar above the views of samples: how a brush combines with what is selected, axes and
// bins, and the choices of each view.
import { useState } from "preact/hooks";
import { Icon } from "../../../panels/icon";
import { Select } from "../../../panels/select";
import { shownView } from "../../documents";
import { isNames } from "../model/table";
import * as s from "../state";

function Choice({
	label,
	name,
	value,
	choices,
	otherwise,
}: {
	label: string;
	name: string;
	value: string;
	choices: [value: string, label: string][];
	otherwise: string;
}) {
	return (
		<Select
			label={label}
			value={value}
			choices={choices}
			set={(v) => s.choose({ [name]: v === otherwise ? null : v })}
		/>
	);
}

function Slider({
	label,
	name,
	value,
	low,
	high,
	step = 1,
}: {
	label: string;
	name: string;
	value: number;
	low: number;
	high: number;
	step?: number;
}) {
	return (
		<label class="select samples-slider" title={label}>
			<span>{label}</span>
			<input
				type="range"
				aria-label={label}
				min={low}
				max={high}
				step={step}
				value={value}
				onInput={(e) => s.choose({ [name]: e.currentTarget.value })}
			/>
			<span class="digits">{value}</span>
		</label>
	);
}

/** A number of samples; empty: memlamp chooses. */
function CountInput({
	label,
	name,
	title,
}: {
	label: string;
	name: string;
	title: string;
}) {
	return (
		<label class="select" title={`${title}; empty: chosen`}>
			<span>{label}</span>
			<input
				class="samples-count"
				type="number"
				aria-label={label}
				min={1}
				placeholder="auto"
				value={s.opt(name, "")}
				onChange={(e) =>
					s.choose({
						[name]: Number(e.currentTarget.value) > 0 ? e.currentTarget.value : null,
					})
				}
			/>
		</label>
	);
}

/** Adds an axis that is found by a part of its name. */
function AddAxis() {
	const [text, setText] = useState("");
	const hidden = (s.info.value?.columns ?? []).filter(
		(_, i) => !s.axes.value.includes(i),
	);
	const add = (name: string) => {
		const lower = name.toLowerCase();
		const found =
			hidden.find((c) => c.column.toLowerCase() === lower) ??
			hidden.find((c) => c.column.toLowerCase().includes(lower));

		if (name && found) s.showAxis(s.columnNamed(found.column));
		setText("");
	};

	return (
		<>
			<input
				class="samples-add"
				list="samples-hidden"
				aria-label="add an axis"
				placeholder={`+ axis (${hidden.length})`}
				value={text}
				onInput={(e) => {
					const value = e.currentTarget.value;

					setText(value);
					if (hidden.some((c) => c.column === value)) add(value);
				}}
				onKeyDown={(e) => e.key === "Enter" && add(text)}
			/>
			<datalist id="samples-hidden">
				{hidden.map((c) => (
					<option key={c.column} value={c.column} />
				))}
			</datalist>
		</>
	);
}

function BrushMode() {
	const modes: [string, string, string][] = [
		[
			"narrow",
			"narrow",
			"samples that are in both; a new range on an axis replaces the old one",
		],
		["new", "new", "only the new ones (Ctrl)"],
		["add", "add", "samples of either (Shift)"],
		["xor", "xor", "samples of one but not of both (Alt)"],
	];

	return (
		<span class="samples-modes" role="group" aria-label="how a click or brush selects">
			{modes.map(([value, label, title]) => (
				<button
					key={value}
					class="quiet small"
					title={title}
					aria-pressed={s.mode.value === value}
					onClick={() => s.choose({ mode: value === "narrow" ? null : value })}
				>
					{label}
				</button>
			))}
		</span>
	);
}

function Animate() {
	const list = s.shows("histogram") ? [s.along.value] : s.axes.value;
	const columns = s.info.value?.columns ?? [];
	const axis = list.includes(s.moving.value.axis) ? s.moving.value.axis : (list[0] ?? 0);

	return (
		<span class="samples-animate">
			<button
				class="quiet small"
				title="move a window along an axis (Space)"
				aria-pressed={s.playing.value}
				onClick={() => s.play(axis)}
			>
				<Icon name={s.playing.value ? "pause" : "play"} solid /> window
			</button>
			<select
				aria-label="axis of the window"
				value={axis}
				onChange={(e) =>
					(s.moving.value = {
						...s.moving.value,
						axis: Number(e.currentTarget.value),
						at: 0,
					})
				}
			>
				{list.map((a) => (
					<option key={a} value={a}>
						{columns[a]?.column}
					</option>
				))}
			</select>
		</span>
	);
}

const measures: [string, string][] = [
	["cycles", "cycles"],
	["samples", "samples"],
];

function AxisChoices() {
	return (
		<>
			<AddAxis />
			<Slider
				label="bins"
				name="bins"
				value={s.bins.value}
				low={20}
				high={1000}
				step={10}
			/>
			<Choice
				label="lines"
				name="lines"
				value={s.strength.value}
				otherwise="all"
				choices={[
					["all", "strength among all"],
					["left", "by left bin"],
					["right", "by right bin"],
				]}
			/>
			<Choice
				label="pointer"
				name="scale"
				value={s.ownScale.value ? "own" : "shared"}
				otherwise="shared"
				choices={[
					["shared", "scale of all"],
					["own", "own scale"],
				]}
			/>
			<Animate />
		</>
	);
}

function HistogramChoices() {
	const i = s.info.value;
	const c = i?.columns[s.along.value];

	return (
		<>
			<Choice
				label="along"
				name="along"
				value={String(s.along.value)}
				otherwise=""
				choices={(i?.columns ?? []).map((x, k) => [String(k), x.column])}
			/>
			<Slider
				label="bins"
				name="bins"
				value={s.bins.value}
				low={20}
				high={1000}
				step={10}
			/>
			{c && isNames(c) && (
				<Choice
					label="order"
					name="order"
					value={s.opt("order", "count")}
					otherwise="count"
					choices={[
						["count", "most samples first"],
						["appearance", "order of appearance"],
					]}
				/>
			)}
			{c && !isNames(c) && s.tree.value && (
				<>
					<Choice
						label="metric"
						name="metric"
						value={s.metric.value}
						otherwise="imbalance"
						choices={[
							["imbalance", "load imbalance I"],
							["latency", "average latency L"],
						]}
					/>
					<Choice
						label="of"
						name="tier"
						value={s.tier.value}
						otherwise="CPU"
						choices={(i?.tiers ?? [])
							.filter((t) => t.resources > 1)
							.map((t) => [t.name, t.name])}
					/>
					<Slider
						label="windows"
						name="windows"
						value={s.windowCount.value}
						low={10}
						high={300}
					/>
					<Slider
						label="clusters"
						name="clusters"
						value={s.clusterCount.value}
						low={1}
						high={24}
					/>
					<CountInput
						label="width"
						name="width"
						title="samples of a window of clusters"
					/>
					<CountInput label="step" name="step" title="samples between two such windows" />
					<Choice
						label="empty"
						name="empty"
						value={s.empty.value}
						otherwise="natural"
						choices={[
							["natural", "left out of L, 0 in I"],
							["skip", "left out of both"],
							["zero", "0 in both"],
						]}
					/>
				</>
			)}
			<Animate />
		</>
	);
}

export function SamplesBar() {
	const v = shownView.value?.id;
	const hardware = v === "samples" || v === "topology";

	if (!s.info.value) return <div class="view-bar samples-bar" />;
	return (
		<div class="view-bar samples-bar">
			<BrushMode />
			{s.columnOf("latency") >= 0 && v !== "histogram" && (
				<Choice
					label="by"
					name="by"
					value={s.measureBy.value}
					otherwise="cycles"
					choices={measures}
				/>
			)}
			{hardware && s.tree.value && (
				<Choice
					label="shape"
					name="shape"
					value={s.shape.value}
					otherwise="sunburst"
					choices={[
						["sunburst", "sunburst"],
						["icicle", "icicle"],
					]}
				/>
			)}
			{(v === "samples" || v === "parallel") && <AxisChoices />}
			{v === "histogram" && <HistogramChoices />}
			{v === "samplesDiff" && (
				<Choice
					label="with"
					name="with"
					value={String(s.other.value)}
					otherwise=""
					choices={s.others.value.map((d) => [String(d.number), d.name])}
				/>
			)}
			{v === "beside" && (
				<Choice
					label="trace"
					name="trace"
					value={String(s.trace.value)}
					otherwise=""
					choices={s.traces.value.map((d) => [String(d.number), d.name])}
				/>
			)}
			{v === "code" && (
				<label class="select">
					<input
						type="checkbox"
						checked={s.follow.value}
						onChange={(e) => s.choose({ follow: e.currentTarget.checked ? null : "off" })}
					/>
					<span>source follows the pointer</span>
				</label>
			)}
		</div>
	);
}
