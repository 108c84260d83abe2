// The pane of the local view: sizes, the step, the cache, layouts to try, distances.
import { exact } from "../../../model/format";
import { Icon } from "../../../panels/icon";
import { Section } from "../../../panels/section";
import { open } from "../../../state/store";
import { nodeTitle } from "../model/program";
import { orderName, storedOrder, type Layout, type LocalContainer } from "../model/local";
import { shownShape } from "../model/grid";
import * as l from "../state/local";
import * as s from "../state/store";
import { metricText } from "../views/scene";
import { Distances } from "./chart";
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

/** A number, and what it was without the changes. */
function Change({
	now,
	before,
	text = exact,
}: {
	now: number;
	before: number | undefined;
	text?: (v: number) => string;
}) {
	if (before === undefined || before === now) return <>{text(now)}</>;
	return (
		<span
			class={now < before ? "flow-less" : "flow-more"}
			title={`${text(before)} before`}
		>
			<s>{text(before)}</s> {text(now)}
		</span>
	);
}

/** Machines by name, and one that the person types. */
function Machine() {
	const presets = open.value?.machines ?? [];
	const now = l.machine.value;
	const known = presets.some((m) => m.name === now);

	return (
		<div class="row flow-cache">
			<label class="select grow">
				<span>machine</span>
				<select
					aria-label="machine"
					value={known || !now ? now : "+"}
					onChange={(e) => {
						const v = e.currentTarget.value;
						s.choose({ machine: v === "+" ? "L1 1K 2w 64B | L2 8K 4w" : v || null });
					}}
				>
					<option value="">fully associative, one level</option>
					<option value="+">sets and levels, as typed…</option>
					{presets.map((m) => (
						<option key={m.name} value={m.name} title={m.text}>
							{m.name}
						</option>
					))}
				</select>
			</label>
			{now && !known && (
				<input
					class="grow mono small"
					aria-label="text of the machine"
					value={now}
					onChange={(e) => s.choose({ machine: e.currentTarget.value || null })}
				/>
			)}
		</div>
	);
}

/** Misses by level and container on the machine. */
function OnMachine() {
	const m = l.local.value?.machine;
	const before = l.experimenting.value ? l.before.value?.machine : undefined;

	if (!m) return null;
	const levels = m.levels.slice(0, -1);
	const rows = m.containers.filter((c) => c.served.some((n) => n > 0));
	return (
		<>
			<p class="note small mono">{m.text}</p>
			<table class="flow-table flow-machine">
				<thead>
					<tr>
						<th>misses of</th>
						{levels.map((x) => (
							<th key={x}>{x}</th>
						))}
						<th title="misses of the first level because two lines need the same set">
							conflicts
						</th>
					</tr>
				</thead>
				<tbody>
					{[...rows, { name: "all", ...m }].map((c, i) => {
						const old =
							i < rows.length
								? before?.containers.find((x) => x.name === c.name)
								: before;
						return (
							<tr key={i}>
								<td class="mono">{c.name}</td>
								{levels.map((x, k) => (
									<td key={x} class="digits">
										<Change now={c.misses[k]!} before={old?.misses[k]} />
									</td>
								))}
								<td class="digits">
									<Change now={c.causes?.conflict ?? 0} before={old?.causes?.conflict} />
								</td>
							</tr>
						);
					})}
				</tbody>
			</table>
		</>
	);
}

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

/** The number of a container of an answer, by its name. */
function numberOf(name: string): number {
	return s.program.value!.containers.findIndex((c) => c.name === name);
}

function selectedContainer(): number | null {
	const p = s.picked.value;

	return p?.kind === "container" ? p.container : null;
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

const unchanged: Layout = { order: null, pad: 0, offset: 0 };

/** Dimensions from the slowest to the contiguous one; the arrows move one. */
function Order({ name, order }: { name: string; order: number[] }) {
	const x = l.layouts.value.get(name) ?? unchanged;
	const swap = (i: number) => {
		const next = [...order];

		[next[i], next[i + 1]] = [next[i + 1]!, next[i]!];
		l.setLayout(name, { ...x, order: next });
	};
	const c = s.program.value!.containers[numberOf(name)]!;

	return (
		<span class="flow-order" title="dimensions in memory: the last one is contiguous">
			{order.map((d, i) => (
				<span key={d}>
					<b class="mono">{c.shape[d] ?? `dim ${d}`}</b>
					{i + 1 < order.length && (
						<button
							class="quiet small"
							title="exchange these two dimensions"
							aria-label={`exchange dimensions ${i} and ${i + 1} of ${name}`}
							onClick={() => swap(i)}
						>
							⇄
						</button>
					)}
				</span>
			))}
		</span>
	);
}

function LayoutOf({ c }: { c: LocalContainer }) {
	const placed = l.local.value!.placed.find((p) => p.container === numberOf(c.name));
	const x = l.layouts.value.get(c.name) ?? unchanged;

	if (!placed) return null;
	const element = s.program.value!.containers[placed.container]!.element;
	const order = storedOrder(placed.strides);
	const n = order.length;
	const set = (change: Partial<Layout>) => l.setLayout(c.name, { ...x, ...change });
	const number = (
		label: string,
		value: number,
		change: (v: number) => Partial<Layout>,
	) => (
		<label class="flow-number">
			{label}
			<input
				type="number"
				min="0"
				aria-label={`${label} of ${c.name}`}
				value={value}
				onChange={(e) => {
					set(change(Math.max(0, Math.round(Number(e.currentTarget.value)) || 0)));
					e.currentTarget.blur();
				}}
			/>
		</label>
	);

	return (
		<div class="flow-layout" data-container={c.name}>
			<p>
				<b class="mono">{c.name}</b>{" "}
				<span class="muted">
					{shownShape(placed).join(" × ")}, {element} bytes an element, {orderName(order)}
				</span>
			</p>
			<div class="row flow-wrap">
				{n > 1 && <Order name={c.name} order={order} />}
				{n > 1 && (
					<>
						<button
							class="quiet small"
							onClick={() => set({ order: order.map((_, d) => d) })}
						>
							row
						</button>
						<button
							class="quiet small"
							onClick={() => set({ order: order.map((_, d) => n - 1 - d) })}
						>
							column
						</button>
						{number("pad to", x.pad, (pad) => ({ pad }))}
					</>
				)}
				{number("offset", x.offset, (offset) => ({ offset }))}
			</div>
		</div>
	);
}

function Layouts() {
	const now = l.local.value;

	if (!now) return null;
	const one = selectedContainer();
	const list = now.containers.filter(
		(c) => c.reads + c.writes > 0 && (one === null || numberOf(c.name) === one),
	);
	return (
		<Section
			title="Layouts to try"
			side={
				<button
					class="quiet small"
					disabled={!l.experimenting.value}
					title="everything as the program has it"
					onClick={() => s.choose({ layout: null, order: null, tile: null })}
				>
					undo all
				</button>
			}
		>
			{list.slice(0, 8).map((c) => (
				<LayoutOf key={c.name} c={c} />
			))}
			{list.length > 8 && (
				<p class="note small">Select one of the {list.length} containers above.</p>
			)}
		</Section>
	);
}

const verdicts = {
	legal: "Allowed",
	updates: "Allowed, but sums come in another order",
	illegal: "Not allowed",
	open: "Not decided",
};

/** Loops of the current nest: another order, tiles. */
function Loops() {
	const now = l.step.value;

	if (!now || now.loops.length < 1) return null;
	const names = now.loops.map((x) => x.name);
	const own = now.loops.filter((x) => x.node !== undefined);
	const verdict = l.legality.value;
	const swap = (i: number) => {
		const next = [...names];

		[next[i], next[i + 1]] = [next[i + 1]!, next[i]!];
		l.setOrder(next);
	};

	return (
		<Section
			title="Loops to try"
			side={
				<button
					class="quiet small"
					disabled={!l.moving.value}
					title="loops as the program has them"
					onClick={() => s.choose({ order: null, tile: null })}
				>
					undo
				</button>
			}
		>
			{names.length > 1 && (
				<p>
					<span class="flow-order" title="loops of this computation, the outermost first">
						{names.map((n, i) => (
							<span key={n}>
								<b class="mono">{n}</b>
								{i + 1 < names.length && (
									<button
										class="quiet small"
										title="exchange these two loops"
										aria-label={`exchange loops ${n} and ${names[i + 1]}`}
										onClick={() => swap(i)}
									>
										⇄
									</button>
								)}
							</span>
						))}
					</span>
				</p>
			)}
			<div class="row flow-wrap">
				<span class="muted">tiles of</span>
				{own.map((x) => (
					<label key={x.name} class="flow-number">
						<span class="mono">{x.name}</span>
						<input
							type="number"
							min="0"
							aria-label={`tile of ${x.name}`}
							value={l.tiles.value[x.name] ?? 0}
							onChange={(e) => {
								l.setTile(x.name, Math.round(Number(e.currentTarget.value)) || 0);
								e.currentTarget.blur();
							}}
						/>
					</label>
				))}
			</div>
			{verdict && (
				<p class={verdict.kind === "illegal" ? "fault" : "note"}>
					<b>{verdicts[verdict.kind]}.</b> {verdict.said}
				</p>
			)}
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
