// The pane at the right of an ensemble: the member under the pointer, the selected
// members and ways into their traces, the legend that filters, the ranking.
import { signal } from "@preact/signals";
import { css } from "../../../draw/draw";
import { roleColour } from "../../../draw/roles";
import {
	alone,
	clusters,
	toggled,
	valueOf,
	valuesOf,
	type Member,
} from "../model/ensemble";
import { valueAt } from "../model/graph";
import { exact, percent } from "../../../model/format";
import * as s from "../state";
import { diffOf, jumpInto, whyNoDiff, whyNoJump } from "../jump";
import { colourOf, timeText, valueColour, valueText } from "../view/scene";
import { Icon } from "../../../panels/icon";
import { Section } from "../../../panels/section";
import { palette } from "../../../views/palette";

function Mark({ m }: { m: Member }) {
	const e = s.ensemble.value!;

	return <i class="mark" style={{ background: css(colourOf(e, palette.value, m)) }} />;
}

/*
 * The members that the buttons are about: the selected ones, or the one under the
 * pointer.
 */
function chosen(): Member[] {
	const pinned = s.pinned.value.flatMap((n) => s.memberOf(n) ?? []);
	const over = s.memberOf(s.hovered.value);

	return pinned.length ? pinned : over ? [over] : [];
}

function Jumps() {
	const list = chosen();
	const last = list.at(-1);
	const two = list.slice(-2);
	const no = whyNoJump(last);
	const noDiff = whyNoDiff(list.length >= 2 ? two : []);
	const to = (view: string) => last && void jumpInto(last, view);

	return (
		<>
			<div class="ensemble-jumps">
				<button
					disabled={!!no}
					title={no || `regions of ${last?.label}`}
					onClick={() => to("regions")}
				>
					Regions here
				</button>
				<button
					disabled={!!no}
					title={no || `cache rings of ${last?.label}`}
					onClick={() => to("rings")}
				>
					Cache rings here
				</button>
				<button
					disabled={!!noDiff}
					title={noDiff || `${two[0]?.label} and ${two[1]?.label} in the cache rings`}
					onClick={() => two[1] && void diffOf(two[0]!, two[1])}
				>
					Visual diff of the two
				</button>
			</div>
			<p class="note small ensemble-why">
				{s.pinned.value.length > 0 && (no || (list.length >= 2 && noDiff))}
			</p>
		</>
	);
}

/** Values of one member at the moment under the pointer, or at the clicked one. */
function Readout({ m }: { m: Member }) {
	const time = s.pointed.value ?? s.at.value;
	const c = s.curves.value;
	const signed = s.against.value !== null;
	const row = s.ranking.value?.rows.find((r) => r.member === m.member);
	const v = c && time !== null ? valueAt(c, c.mean, m.member, time) : NaN;
	const spread = c && time !== null ? valueAt(c, c.deviation, m.member, time) : NaN;
	const isPinned = s.pinned.value.includes(m.member);

	const plain = c?.unit === "cycles" ? "" : (c?.unit ?? "");

	return (
		<div class="ensemble-readout" data-member={m.member}>
			<div class="row">
				<Mark m={m} />
				<b class="grow">{m.label}</b>
				{Number.isFinite(v) && (
					<span class="digits">
						<b>{valueText(v, c!.unit, signed)}</b>
						{spread > 0 && !signed && (
							<span class="muted"> ± {valueText(spread, plain)}</span>
						)}
					</span>
				)}
				{isPinned && (
					<button
						class="quiet small"
						title="select it no longer"
						onClick={() => s.togglePin(m.member)}
					>
						<Icon name="close" />
					</button>
				)}
			</div>
			<code class="muted" title={m.machine}>
				{m.machine}
			</code>
			<div class="digits muted">
				{row &&
					`${s.chosenFocus.value ? "window" : "run"} ${valueText(row.value, plain, signed)}`}
				{time !== null &&
					`, at ${timeText(time)}: its reference ${exact(Math.floor(s.positionIn(m, time)))}`}
			</div>
		</div>
	);
}

/** The best and the worst of the shown members, while no member is under the pointer. */
function Extremes() {
	const r = s.ranking.value;
	const visible = new Set(s.shown.value.map((m) => m.member));
	const rows = (r?.rows ?? []).filter(
		(x) => visible.has(x.member) && Number.isFinite(x.value),
	);
	const [best, worst] = [rows[0], rows.at(-1)];
	const times = best && worst ? worst.value / best.value : NaN;
	const counted = s.against.value === null && (best?.value ?? 0) > 0 && times >= 1.005;
	const Row = ({ word, x }: { word: string; x: (typeof rows)[number] }) => (
		<>
			<dt>{word}</dt>
			<dd>
				<Mark m={s.memberOf(x.member)!} /> <b>{s.memberOf(x.member)!.label}</b>{" "}
				<span class="digits">
					{valueText(x.value, r!.unit, s.against.value !== null)}
				</span>
				{x === worst && counted && (
					<span class="muted"> {times.toFixed(times < 10 ? 2 : 0)} times</span>
				)}
			</dd>
		</>
	);

	return (
		<>
			{best && worst && best !== worst && (
				<dl class="ensemble-extremes">
					<Row word="best" x={best} />
					<Row word="worst" x={worst} />
				</dl>
			)}
			<p class="note">
				Point at a curve to read it; a click selects it and sets the moment that the
				buttons lead to.
			</p>
		</>
	);
}

/** The height does not change with the pointer: the list below must stay in place. */
function Selected() {
	const over = s.memberOf(s.hovered.value);
	const pinned = chosen().filter((m) => m !== over);
	const list = [...(over ? [over] : []), ...pinned.reverse()];

	return (
		<Section
			title={s.pinned.value.length ? "Selected" : "Member"}
			side={
				s.pinned.value.length > 0 && (
					<button
						class="quiet small"
						title="select none (Esc)"
						onClick={() => s.choose({ pin: null })}
					>
						clear
					</button>
				)
			}
		>
			<div
				class={
					s.rankingFresh.value && s.figureFresh.value
						? "ensemble-readouts"
						: "ensemble-readouts old"
				}
			>
				{list.map((m) => (
					<Readout key={m.member} m={m} />
				))}
				{!list.length && <Extremes />}
			</div>
			<Jumps />
		</Section>
	);
}

function Legend() {
	const e = s.ensemble.value!;
	const p = palette.value;
	const over = s.memberOf(s.hovered.value);
	const hides = Object.keys(s.hidden.value).length > 0;

	if (!e.parameters.length) return null;
	return (
		<Section
			title="Legend"
			side={
				hides && (
					<button class="quiet small" onClick={() => s.choose({ hide: null })}>
						show all
					</button>
				)
			}
		>
			{e.parameters.map((param, i) => (
				<div key={param.name} class="ensemble-parameter" data-parameter={param.name}>
					<div class="row">
						<button
							class="quiet small"
							aria-pressed={s.colourBy.value === i}
							title={
								s.colourBy.value === i
									? "the colours show this parameter"
									: `colour by ${param.name}`
							}
							onClick={() => s.choose({ colour: param.name })}
						>
							{param.name}
						</button>
						<span
							class="muted small grow"
							title="share of the variance of the members' average access time that this parameter explains"
						>
							{percent(param.effect)} of the difference
						</span>
					</div>
					<div class="ensemble-values">
						{valuesOf(e, i).map((v) => {
							const off = s.hidden.value[param.name]?.includes(v);
							const lit = over && valueOf(over, i) === v;
							return (
								<button
									key={v}
									class={`quiet small${off ? " off" : ""}${lit ? " lit" : ""}`}
									aria-pressed={!off}
									title={`${off ? "show" : "hide"} ${param.name} ${v}; with shift: only this`}
									onClick={(ev) =>
										s.choose({
											hide: printed(
												ev.shiftKey
													? alone(e, s.hidden.value, param.name, v)
													: toggled(e, s.hidden.value, param.name, v),
											),
										})
									}
								>
									{s.colourBy.value === i && (
										<i
											class="mark"
											style={{ background: css(valueColour(e, p, i, v)) }}
										/>
									)}
									{v}
								</button>
							);
						})}
					</div>
				</div>
			))}
		</Section>
	);
}

function printed(h: Record<string, string[]>): string | null {
	return Object.keys(h).length ? JSON.stringify(h) : null;
}

type Order = "value" | "run" | "label";
const order = signal<{ by: Order; up: boolean }>({ by: "value", up: true });

function Head({ by, children }: { by: Order; children: preact.ComponentChildren }) {
	const on = order.value.by === by;

	return (
		<th aria-sort={on ? (order.value.up ? "ascending" : "descending") : "none"}>
			<button
				class="link"
				onClick={() => (order.value = { by, up: on ? !order.value.up : true })}
			>
				{children}
				{on ? (order.value.up ? " ↑" : " ↓") : ""}
			</button>
		</th>
	);
}

function Ranking() {
	const [r, run] = [s.ranking.value, s.runRanking.value];
	const visible = new Map(s.shown.value.map((m) => [m.member, m]));
	const whole = new Map(run?.rows.map((x) => [x.member, x.value]));
	const windowed = s.chosenFocus.value !== null;
	const signed = s.against.value !== null;
	const { by, up } = order.value;

	if (!r) return null;
	const rows = r.rows.filter((x) => visible.has(x.member));
	const max = Math.max(
		1e-12,
		...rows.map((x) => Math.abs(x.value)).filter(Number.isFinite),
	);
	// The order is the server's: whether more is better depends on the measure.
	const place = new Map(run?.rows.map((x, i) => [x.member, i]));
	if (by === "run")
		rows.sort((a, b) => (place.get(a.member) ?? 0) - (place.get(b.member) ?? 0));
	if (by === "label")
		rows.sort((a, b) =>
			visible
				.get(a.member)!
				.label.localeCompare(visible.get(b.member)!.label, "en", { numeric: true }),
		);
	if (!up) rows.reverse();
	return (
		<Section title="Ranking" old={!s.rankingFresh.value}>
			<table class="ensemble-ranking">
				<thead>
					<tr>
						<Head by="label">member</Head>
						<Head by="value">{windowed ? "window" : "run"}</Head>
						{windowed && <Head by="run">run</Head>}
					</tr>
				</thead>
				<tbody onPointerLeave={() => (s.hovered.value = null)}>
					{rows.map((x) => {
						const m = visible.get(x.member)!;
						const unit = r.unit === "cycles" ? "" : r.unit;
						return (
							<tr
								key={x.member}
								data-member={x.member}
								class={`${s.pinned.value.includes(x.member) ? "chosen" : ""}${s.hovered.value === x.member ? " lit" : ""}`}
								onPointerEnter={() => (s.hovered.value = x.member)}
								onClick={() => s.togglePin(x.member)}
							>
								<td title={m.machine}>
									<Mark m={m} /> <span>{m.label}</span>
								</td>
								<td class="digits">
									<i
										class="ensemble-amount"
										style={{ width: `${(100 * Math.abs(x.value)) / max || 0}%` }}
									/>
									{valueText(x.value, unit, signed)}
								</td>
								{windowed && (
									<td class="digits muted">
										{valueText(whole.get(x.member) ?? NaN, unit, signed)}
									</td>
								)}
							</tr>
						);
					})}
				</tbody>
			</table>
		</Section>
	);
}

/** Ways to share the cache by how many threads starve. */
function Clusters() {
	const a = s.sharedCache.value;
	const p = palette.value;
	const unit = a?.unit ?? "";
	const real = s.memberOf(s.real.value);
	const row = s.runRanking.value?.rows.find((r) => r.member === s.real.value);

	if (!a) return null;
	const { keys } = s.figure.value!.legend[0]!; // in the order of the clusters
	return (
		<Section title={`${exact(a.ways)} ways to share`} old={!s.figureFresh.value}>
			<table class="ensemble-ranking">
				<thead>
					<tr>
						<th>starved threads</th>
						<th>ways</th>
						<th>{s.chosenFocus.value ? "in the window" : "over the run"}</th>
					</tr>
				</thead>
				<tbody>
					{clusters(a).map((c, i) => (
						<tr key={c.starved}>
							<td>
								<i
									class="mark"
									style={{ background: css(roleColour(p, keys[i]!.colour)) }}
								/>{" "}
								{c.starved}
							</td>
							<td class="digits">{exact(c.ways)}</td>
							<td class="digits">
								{valueText(c.low, "")} – {valueText(c.high, unit)}
							</td>
						</tr>
					))}
					{real && row && (
						<tr>
							<td title="simulated, not modelled">
								<i class="mark" style={{ background: css(p.text) }} /> {real.label}
							</td>
							<td />
							<td class="digits">{valueText(row.value, unit)}</td>
						</tr>
					)}
				</tbody>
			</table>
			<p class="note small">
				A model: in each way the threads are members whose sizes add up to the total; gray
				is the range that a shift in time can cause, darker where ways overlap.
			</p>
		</Section>
	);
}

/** Sentences about traces whose milestones differ. */
function Unequal() {
	const m = s.matching.value;

	if (s.time.value !== "matched" || !m) return null;
	return (
		<Section title="Time matching">
			<p class="note">
				{exact(Math.max(0, m.count - 2))} common milestones
				{m.shown < m.count ? `, ${exact(m.shown)} of them listed` : ""}.
			</p>
			{m.unequal.map((text) => (
				<p key={text} class="ensemble-unequal">
					{text}
				</p>
			))}
		</Section>
	);
}

export function EnsembleSide() {
	const e = s.ensemble.value;

	if (!e) return <aside class="details right-pane" />;
	const undone = e.members.filter((m) => !m.done).length;
	return (
		<aside class="details ensemble-side right-pane" aria-label="ensemble">
			<div class="scroll">
				{undone > 0 && (
					<p class="note ensemble-undone">
						{exact(undone)} of {exact(e.members.length)} members are not simulated yet:
						run `memlamp ensemble` again to go on.
					</p>
				)}
				<Selected />
				<Unequal />
				<Clusters />
				<Legend />
				<Ranking />
			</div>
		</aside>
	);
}
