// The pane of the local view: sizes, the step, the cache, layouts to try, distances.
import { exact } from "../../../model/format";
import { Icon } from "../../../panels/icon";
import { Section } from "../../../panels/section";
import { nodeTitle } from "../model/program";
import * as l from "../state/local";
import * as s from "../state/store";
import { metricText } from "../views/scene";
import { Distances } from "./chart";
import {
	Change,
	Layouts,
	Loops,
	Machine,
	OnMachine,
	numberOf,
	selectedContainer,
} from "./experiments";
import { SizeSlider } from "./sizes";

function Part() {
	const t = s.tree.value;
	const n = l.root.value;

	if (!t || !n) return null;
	return (
		<Section
			title="Part of the program"
			side={
				<button
					class="quiet small"
					title="look at the whole program"
					onClick={() => s.choose({ root: null, at: null })}
				>
					all
				</button>
			}
		>
			<p class="caption mono">{nodeTitle(t.nodes[n]!)}</p>
		</Section>
	);
}

function Sizes() {
	const factor = l.suggestion.value?.factor ?? 1;

	return (
		<Section
			title="Small sizes"
			side={
				<button
					class="quiet small"
					title="the sizes of Data movement, all divided by one factor"
					aria-pressed={!s.opt("local", "")}
					onClick={l.takeSuggestion}
				>
					1/{factor} of the real ones
				</button>
			}
		>
			{s.parameters.value.map((n) => (
				<SizeSlider
					key={n}
					name={n}
					value={l.localSize(n)}
					most={64}
					title={`${n}: ${l.localSize(n)} instead of ${s.size(n)}`}
					set={(v) => l.setLocalSize(n, v)}
				/>
			))}
			{!s.parameters.value.length && <p class="note">All sizes are constants.</p>}
		</Section>
	);
}

const speeds = [1, 2, 4, 8, 16, 32, 64, 250, 1000];

function Step() {
	const now = l.step.value;

	if (!now) return null;
	return (
		<Section
			title="Step"
			side={
				<span class="digits muted">
					{exact(now.step + 1)} of {exact(now.steps)}
				</span>
			}
		>
			<div class="row flow-play">
				<button class="quiet" title="to the first step (Home)" onClick={() => l.seek(0)}>
					<Icon name="first" />
				</button>
				<button class="quiet" title="one step back (←)" onClick={() => l.stepBy(-1)}>
					<Icon name="previous" />
				</button>
				<button
					class={l.playing.value ? "primary" : ""}
					title="play (space)"
					aria-label="play"
					onClick={l.togglePlay}
				>
					<Icon name={l.playing.value ? "pause" : "play"} />
				</button>
				<button class="quiet" title="one step (→)" onClick={() => l.stepBy(1)}>
					<Icon name="next" />
				</button>
				<label class="select digits" title="steps a second">
					<select
						aria-label="speed"
						value={String(l.speed.value)}
						onChange={(e) => (l.speed.value = Number(e.currentTarget.value))}
					>
						{speeds.map((v) => (
							<option key={v} value={String(v)}>
								{v}/s
							</option>
						))}
					</select>
				</label>
			</div>
			<input
				class="flow-steps"
				type="range"
				aria-label="step"
				min="0"
				max={Math.max(0, now.steps - 1)}
				value={now.step}
				onInput={(e) => l.seek(Number(e.currentTarget.value))}
				onChange={(e) => e.currentTarget.blur()}
			/>
			{now.loops.map((x, d) => (
				<label key={d} class="flow-slider" title={`${x.name}: ${x.low} to ${x.high}`}>
					<span class="mono">{x.name}</span>
					<input
						type="range"
						aria-label={`loop ${x.name}`}
						min={x.low}
						max={x.high}
						step={x.step}
						value={x.value}
						onInput={(e) => l.setLoop(d, Number(e.currentTarget.value))}
						onChange={(e) => e.currentTarget.blur()}
					/>
					<span class="digits flow-loop">
						{x.value}{" "}
						<span class="muted">
							of {x.low}…{x.high}
						</span>
					</span>
				</label>
			))}
		</Section>
	);
}

const lineSizes = [8, 16, 32, 64, 128, 256];

function Cache() {
	const [now, before] = [l.local.value, l.experimenting.value ? l.before.value : null];
	const sizes = lineSizes.includes(s.line.value)
		? lineSizes
		: [...lineSizes, s.line.value];

	return (
		<Section title="Cache">
			<Machine />
			{!l.machine.value && (
				<div class="row flow-cache">
					<label class="select">
						<span>line</span>
						<select
							aria-label="line size"
							value={String(s.line.value)}
							onChange={(e) => s.choose({ line: e.currentTarget.value })}
						>
							{sizes.map((n) => (
								<option key={n} value={String(n)}>
									{n} bytes
								</option>
							))}
						</select>
					</label>
				</div>
			)}
			<SizeSlider
				name="capacity"
				value={s.threshold.value}
				most={1024}
				title="lines that the cache holds: an access whose stack distance is at least this misses"
				set={(v) => s.choose({ threshold: String(v) })}
			/>
			{now && (
				<dl>
					<dt>accesses</dt>
					<dd class="digits">{exact(now.accesses)}</dd>
					<dt>cold misses</dt>
					<dd class="digits">
						<Change now={now.cold} before={before?.cold} />
					</dd>
					<dt>capacity misses</dt>
					<dd class="digits">
						<Change now={now.misses} before={before?.misses} />
					</dd>
					<dt>move</dt>
					<dd class="digits">
						<Change
							now={now.bytes}
							before={before?.bytes}
							text={(v) => metricText("bytes", v)}
						/>
					</dd>
				</dl>
			)}
			<OnMachine />
			{now && now.uncertain > 0 && (
				<p class="note small">
					{exact(now.uncertain)} guards depend on data and count as true.
				</p>
			)}
		</Section>
	);
}

function Containers() {
	const [now, before] = [l.local.value, l.experimenting.value ? l.before.value : null];

	if (!now) return null;
	const used = now.containers.filter((c) => c.reads + c.writes + c.unplaced > 0);
	return (
		<Section title="Containers">
			<table class="flow-table flow-containers">
				<thead>
					<tr>
						<th>container</th>
						<th>accesses</th>
						<th>cold</th>
						<th>misses</th>
						<th>move</th>
					</tr>
				</thead>
				<tbody>
					{used.map((c) => {
						const old = before?.containers.find((x) => x.name === c.name);
						const n = numberOf(c.name);

						return (
							<tr
								key={c.name}
								class={selectedContainer() === n ? "chosen" : ""}
								onClick={() =>
									s.pick(
										selectedContainer() === n
											? null
											: { kind: "container", container: n },
									)
								}
							>
								<td
									class="mono"
									title={
										c.unplaced
											? `${exact(c.unplaced)} accesses depend on data and have no place`
											: ""
									}
								>
									{c.name}
									{c.unplaced > 0 && " *"}
								</td>
								<td class="digits">{exact(c.reads + c.writes)}</td>
								<td class="digits">
									<Change now={c.cold} before={old?.cold} />
								</td>
								<td class="digits">
									<Change now={c.misses} before={old?.misses} />
								</td>
								<td class="digits">
									<Change
										now={c.bytes}
										before={old?.bytes}
										text={(v) => metricText("bytes", v)}
									/>
								</td>
							</tr>
						);
					})}
				</tbody>
			</table>
		</Section>
	);
}

/** Distances of the element chosen last, of the selected container, or of all. */
function Histogram() {
	const now = l.local.value;
	const element = l.chosen.value.at(-1);
	const one = selectedContainer();

	if (!now) return null;
	if (element && l.distances.value) {
		const c = s.program.value!.containers[element.container]!;
		const d = l.distances.value;

		return (
			<Section title={`Stack distances of ${c.name}, element ${element.place}`}>
				<Distances
					pairs={d.distances}
					cold={d.cold}
					threshold={s.threshold.value}
					exact={true}
				/>
				<p class="note small">
					{exact(d.accesses)} accesses, {exact(d.cold)} cold; distances in lines, red from
					the capacity on.
				</p>
			</Section>
		);
	}
	const list = now.containers.filter((c) => one === null || numberOf(c.name) === one);
	const sum = new Map<number, number>();
	for (const c of list)
		for (const [d, n] of c.distances) sum.set(d, (sum.get(d) ?? 0) + n);
	return (
		<Section
			title={`Stack distances of ${one === null ? "all containers" : s.program.value!.containers[one]!.name}`}
		>
			<Distances
				pairs={[...sum]}
				cold={list.reduce((n, c) => n + c.cold, 0)}
				threshold={s.threshold.value}
				exact={list.every((c) => c.distances_exact)}
			/>
			<p class="note small">
				Touches of lines by distance in lines, red from the capacity on. Click an element
				for its own.
			</p>
		</Section>
	);
}

export function LocalSide() {
	return (
		<>
			<Part />
			<Sizes />
			{l.failure.value && <p class="warning flow-pad">{l.failure.value}</p>}
			<Step />
			<Cache />
			<Containers />
			<Histogram />
			<Layouts />
			<Loops />
		</>
	);
}
