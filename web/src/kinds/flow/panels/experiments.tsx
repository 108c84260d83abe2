// What a person tries in the local view: a machine, layouts of containers, orders and tiles
// of loops; and what changes by it.
import { exact } from "../../../model/format";
import { Section } from "../../../panels/section";
import { open } from "../../../state/store";
import { shownShape } from "../model/grid";
import { orderName, storedOrder, type Layout, type LocalContainer } from "../model/local";
import * as l from "../state/local";
import * as s from "../state/store";

/** A number, and what it was without the changes. */
export function Change({
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

/** The number of a container of an answer, by its name. */
export function numberOf(name: string): number {
	return s.program.value!.containers.findIndex((c) => c.name === name);
}

export function selectedContainer(): number | null {
	const p = s.picked.value;

	return p?.kind === "container" ? p.container : null;
}

/** Machines by name, and one that the person types. */
export function Machine() {
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
export function OnMachine() {
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

export function Layouts() {
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
export function Loops() {
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
