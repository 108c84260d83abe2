// The pane at the right of samples: the selection, what is special about it, which attributes
// go together, and the file.
import { exact, percent } from "../../../model/format";
import { Section } from "../../../panels/section";
import { overlay, view } from "../../../state/store";
import { shown } from "../model/axes";
import { conjuncts, equals, subject, without } from "../model/selection";
import { cyclesText, type Special } from "../model/table";
import * as s from "../state";

function Chips() {
	const parts = conjuncts(s.selected.value);

	return (
		<ul class="samples-chips">
			{parts.map((p) => (
				<li key={p}>
					<code>{p}</code>
					<button
						class="quiet small"
						title="take this condition back"
						onClick={() => s.setSelection(without(s.selected.value, p))}
					>
						×
					</button>
				</li>
			))}
		</ul>
	);
}

function Selection() {
	const t = s.totals.value;
	const on = s.hovered.value;

	return (
		<Section
			title={s.selected.value ? "Selected samples" : "All samples"}
			side={
				s.selected.value && (
					<>
						<button
							class="quiet small"
							title="select the others (I)"
							onClick={s.invertSelection}
						>
							invert
						</button>
						<button
							class="quiet small"
							title="select all (Esc)"
							onClick={() => s.setSelection("")}
						>
							all
						</button>
					</>
				)
			}
		>
			{t && (
				<dl class="samples-facts">
					<dt>samples</dt>
					<dd class="digits">
						<b>{exact(t.selected)}</b>{" "}
						{s.selected.value && <span class="muted">{percent(t.selected, t.rows)}</span>}
					</dd>
					{t.cycles !== undefined && (
						<>
							<dt>cycles</dt>
							<dd class="digits">{exact(t.cycles)}</dd>
							<dt>mean latency</dt>
							<dd class="digits">{cyclesText(t.mean ?? 0)} cycles</dd>
						</>
					)}
					<dt>under the pointer</dt>
					<dd class="digits samples-hover">{on === null ? "–" : exact(on)}</dd>
				</dl>
			)}
			<input
				class="samples-text mono"
				aria-label="selection as a text"
				placeholder="latency >= 100 and variable = m_x"
				value={s.selected.value}
				onChange={(e) => s.setSelection(e.currentTarget.value.trim())}
			/>
			<Chips />
		</Section>
	);
}

/** The condition that a row of "what is special" names; "" if it names the rest. */
function conditionOf(x: Special): string {
	const range = x.values.match(/^(\S+)\.\.(\S+)$/);

	if (x.values === "the rest") return "";
	return range
		? `${equals(x.column, "0").replace(/ = 0$/, "")} ${x.values}`
		: equals(x.column, x.values);
}

/** Values as people read them. */
function valuesText(x: Special): string {
	const c = s.info.value!.columns[s.columnNamed(x.column)];
	const range = x.values.match(/^(\S+)\.\.(\S+)$/);

	return c && range ? `${shown(c, range[1]!)} to ${shown(c, range[2]!)}` : x.values;
}

function SpecialRows() {
	// that the selected columns differ goes without saying
	const own = new Set(conjuncts(s.selected.value).map(subject));
	const list = (s.special.value ?? [])
		.filter((x) => x.divergence > 0.01 && !own.has(x.column.toLowerCase()))
		.slice(0, 8);

	if (!s.selected.value) return null;
	return (
		<Section title="What is special about this selection">
			{!list.length && <p class="note">Nothing: it is like the rest.</p>}
			<table class="samples-table">
				<tbody>
					{list.map((x) => (
						<tr
							key={x.column}
							class="samples-click"
							title={`divergence ${x.divergence.toFixed(2)} of 1; click shows the axis`}
							onPointerEnter={() => (s.hover.value = conditionOf(x))}
							onPointerLeave={() => (s.hover.value = "")}
							onClick={() => s.showAxis(s.columnNamed(x.column))}
						>
							<td>
								<i
									class="samples-meter"
									style={{ width: `${Math.round(40 * x.divergence)}px` }}
								/>
							</td>
							<td>
								<b>{x.column}</b> <span class="mono">{valuesText(x)}</span>
							</td>
							<td class="digits">
								{percent(x.selected)} <span class="muted">not {percent(x.others)}</span>
							</td>
						</tr>
					))}
				</tbody>
			</table>
		</Section>
	);
}

/** L and I of the tiers; a click shows them along the attribute of the histogram. */
function Tiers() {
	const list = s.metrics.value?.filter((t) => t.resources > 1) ?? [];

	if (!list.length) return null;
	return (
		<Section title="Tiers of the hardware">
			<table class="samples-table samples-tiers">
				<thead>
					<tr>
						<th>tier</th>
						<th>used</th>
						<th title="average access latency, in cycles">latency L</th>
						<th title="largest distance from the mean load, in standard deviations">
							imbalance I
						</th>
					</tr>
				</thead>
				<tbody>
					{list.map((t) => (
						<tr
							key={t.tier}
							class="samples-click"
							title="click: this tier in the histogram"
							onClick={() => {
								s.choose({ tier: t.tier });
								view.value = "histogram";
							}}
						>
							<td>{t.tier}</td>
							<td class="digits">
								{t.used} of {t.resources}
							</td>
							<td class="digits">{t.latency === null ? "–" : cyclesText(t.latency)}</td>
							<td class="digits">{t.imbalance?.toFixed(2) ?? "–"}</td>
						</tr>
					))}
				</tbody>
			</table>
		</Section>
	);
}

/** Pairs that a person would not know already: no column that is another one in disguise. */
function RelatedRows() {
	const list = (s.related.value ?? [])
		.filter((x) => x.share < 0.995 && x.share > 0.02)
		.slice(0, 8);

	if (!list.length) return null;
	return (
		<Section title="Attributes that go together">
			<table class="samples-table">
				<tbody>
					{list.map((x) => (
						<tr
							key={`${x.column} ${x.with}`}
							class="samples-click"
							title={`${x.bits.toFixed(2)} bits of mutual information; click puts the two axes side by side`}
							onClick={() => {
								s.correlate(s.columnNamed(x.column), s.columnNamed(x.with));
								if (!s.shows("samples", "parallel")) view.value = "parallel";
							}}
						>
							<td>
								<i
									class="samples-meter"
									style={{ width: `${Math.round(40 * x.share)}px` }}
								/>
							</td>
							<td>
								<b>{x.column}</b> with <b>{x.with}</b>
							</td>
							<td class="digits muted">{percent(x.share)}</td>
						</tr>
					))}
				</tbody>
			</table>
		</Section>
	);
}

function FileFacts() {
	const i = s.info.value!;

	return (
		<Section
			title="File"
			side={
				<button
					class="quiet small"
					title="say which column is which"
					onClick={() => (overlay.value = "samples.columns")}
				>
					columns
				</button>
			}
		>
			<p>
				<b class="digits">{exact(i.rows)}</b> samples of <b>{i.columns.length}</b>{" "}
				attributes ({i.format})
			</p>
			{i.note && <p class="note">{i.note}.</p>}
			{i.skipped > 0 && (
				<p class="note">{exact(i.skipped)} records are no memory access.</p>
			)}
			{i.elsewhere > 0 && (
				<p class="note">
					{exact(i.elsewhere)} samples are of CPUs that this hardware does not have.
				</p>
			)}
			{i.bad > 0 && (
				<details class="samples-bad">
					<summary class="fault">{exact(i.bad)} lines could not be read</summary>
					<ul>
						{i.badLines.map((b) => (
							<li key={b.line}>
								line {b.line}: {b.reason}
							</li>
						))}
					</ul>
				</details>
			)}
		</Section>
	);
}

export function SamplesSide() {
	if (!s.info.value)
		return (
			<aside class="right-pane samples-side">
				<p class="note samples-wait">reading…</p>
			</aside>
		);
	return (
		<aside class="right-pane samples-side">
			<Selection />
			<SpecialRows />
			<Tiers />
			<RelatedRows />
			<FileFacts />
		</aside>
	);
}
