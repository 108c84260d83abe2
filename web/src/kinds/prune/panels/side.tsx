// The pane at the right of a search space: key, constraints, the selected variants, what the
// constraints leave to say, and results of simulations.
import { palette } from "../../../views/palette";
import { css } from "../../../draw/draw";
import { exact, percent } from "../../../model/format";
import { Section } from "../../../panels/section";
import { message } from "../../../state/store";
import { openDocument } from "../../documents";
import { save } from "../../save";
import { api } from "../api";
import {
	parseWhere,
	printWhere,
	sayWhere,
	share,
	type Value,
	type Variant,
} from "../model/space";
import * as s from "../state";
import { pruneColours } from "../views/scene";
import { Lists } from "./lists";

function Key() {
	const c = pruneColours(palette.value);
	const items: [string, number][] = [
		["all", c.all],
		["passes", c.pass],
		["fails a hard one", c.hard],
		["fails a soft one", c.soft],
	];

	return (
		<div class="prune-key">
			{items.map(([text, colour]) => (
				<span key={text}>
					<i class="mark" style={{ background: css(colour) }} />
					{text}
				</span>
			))}
		</div>
	);
}

function Head() {
	const space = s.space.value!;

	return (
		<Section title={space.name}>
			<p>
				<b class="digits">{exact(space.variants)}</b> variants,{" "}
				<b class="digits">{exact(space.survivors)}</b> survive
				<span class="muted"> ({share(space.survivors, space.variants)})</span>
			</p>
			<Key />
		</Section>
	);
}

async function saveTable(table: string): Promise<void> {
	const n = s.number.value;

	if (n === null) return;
	try {
		const text = await api.table(n, table, printWhere(s.listed.value));
		save(new Blob([text], { type: "text/csv" }), table, "csv");
	} catch (e) {
		message.value = (e as Error).message;
	}
}

function Rows({ rows, distances }: { rows: Variant[]; distances?: boolean }) {
	const names = s.space.value?.parameters?.map((p) => p.name) ?? [];

	return (
		<div class="prune-scroll">
			<table class="prune-table">
				<thead>
					<tr>
						{names.map((n) => (
							<th key={n}>{n}</th>
						))}
						{distances && <th>distance</th>}
					</tr>
				</thead>
				<tbody>
					{rows.map((r, i) => (
						<tr
							key={i}
							title={r.fails.length ? `fails ${r.fails.join(", ")}` : "survives"}
						>
							{names.map((n) => (
								<td key={n} class="digits">
									{r.values[n]}
								</td>
							))}
							{distances && <td class="digits">{r.distance?.toFixed(3)}</td>}
						</tr>
					))}
				</tbody>
			</table>
		</div>
	);
}

function Pages({ total }: { total: number }) {
	const last = Math.max(0, Math.ceil(total / s.PAGE) - 1);
	const p = Math.min(last, s.page.value);
	const go = (to: number) => s.choose({ page: to > 0 ? String(to) : null });

	if (!last) return null;
	return (
		<div class="row prune-pages">
			<button class="quiet small" disabled={p === 0} onClick={() => go(p - 1)}>
				‹
			</button>
			<span class="digits muted">
				{exact(p * s.PAGE + 1)} to {exact(Math.min(total, (p + 1) * s.PAGE))} of{" "}
				{exact(total)}
			</span>
			<button class="quiet small" disabled={p === last} onClick={() => go(p + 1)}>
				›
			</button>
		</div>
	);
}

/** The selected variants, or the survivors. */
function Chosen() {
	const [space, picked, list] = [s.space.value!, s.picked.value, s.variants.value];

	return (
		<Section
			title={picked ? "Selected variants" : "Survivors"}
			side={
				<>
					{picked && picked.length < space.constraints.length && (
						<button
							class="quiet small"
							title="let these variants fill the circle"
							onClick={() => s.zoomInto(picked)}
						>
							zoom
						</button>
					)}
					{picked && (
						<button
							class="quiet small"
							title="select none (Esc)"
							onClick={() => s.pick(null)}
						>
							clear
						</button>
					)}
					{space.described && (
						<button
							class="quiet small"
							title="save these variants as CSV"
							onClick={() => void saveTable("variants")}
						>
							CSV
						</button>
					)}
				</>
			}
		>
			{picked && <p class="note prune-where">{sayWhere(picked)}</p>}
			{!space.described && (
				<p class="note">
					This is a table of combinations: it says how many variants fail what, not which
					they are.
				</p>
			)}
			{list && list.rows.length > 0 && <Rows rows={list.rows} />}
			{list && !list.total && <p class="note">none</p>}
			{list && <Pages total={list.total} />}
		</Section>
	);
}

function names(list: string[]): string {
	return list.join(", ");
}

/** Redundant constraints, the smallest set, and why nothing passes. */
function Findings() {
	const space = s.space.value!;
	const redundant = space.constraints.filter((c) => c.eliminated > 0 && c.alone === 0);
	const smaller = space.smallest_set.length < space.constraints.length;

	return (
		<Section
			title="What decides"
			side={
				<button
					class="quiet small"
					title="save the table of combinations as CSV, in the form of the paper"
					onClick={() => void saveTable("combinations")}
				>
					CSV
				</button>
			}
		>
			<ul class="prune-findings">
				{!space.survivors && space.variants > 0 && (
					<li>
						Nothing passes: <b>{names(space.smallest_set)}</b>{" "}
						{space.smallest_set.length > 1 ? "together eliminate" : "eliminates"} every
						variant, and no smaller set does.
					</li>
				)}
				{space.survivors > 0 && smaller && (
					<li>
						<button class="link" onClick={() => s.setRings(space.smallest_set)}>
							{space.smallest_set.length} of {space.constraints.length} constraints
						</button>{" "}
						leave the same survivors.
					</li>
				)}
				{redundant.map((c) => (
					<li key={c.name}>
						<b>{c.name}</b> is redundant:{" "}
						{c.implied_by[0] ? (
							<button class="link" onClick={() => s.setRings([c.implied_by[0]!, c.name])}>
								{c.implied_by[0]}
							</button>
						) : (
							"others"
						)}{" "}
						eliminate{c.implied_by[0] ? "s" : ""} all that it does.
					</li>
				))}
			</ul>
			{s.nearest.value && s.nearest.value.length > 0 && (
				<>
					<p class="note">
						Nearest misses fail {space.nearest_miss_fails} of the constraints:
					</p>
					<Rows rows={s.nearest.value} distances />
				</>
			)}
		</Section>
	);
}

function shortValues(values: Record<string, Value>): string {
	return Object.values(values).join("  ");
}

/** Results of simulations: the ranking, and what soft constraints remove from it. */
function Tuned() {
	const t = s.tuned.value;
	const all = s.space.value!.constraints;

	if (!t || !t.simulated) return null;
	const bad = t.removals.filter((r) => r.removed);
	return (
		<Section
			title={`${exact(t.simulated)} simulated`}
			side={
				<>
					<button
						class="quiet small"
						aria-pressed={s.colour.value === "result"}
						title="colour sectors by their best variant"
						onClick={() =>
							s.choose({ colour: s.colour.value === "result" ? null : "result" })
						}
					>
						colour by result
					</button>
					{t.ensemble !== null && (
						<button
							class="quiet small"
							title="show the ensemble of these simulations"
							onClick={() => void openDocument("ensemble", t.ensemble!)}
						>
							ensemble
						</button>
					)}
				</>
			}
		>
			<p class="note small prune-machine" title={t.machine ?? ""}>
				{t.machine}
			</p>
			<ul class="prune-findings">
				{bad.map((r) => (
					<li key={r.constraint}>
						<b>{r.constraint}</b> removes {r.removed} of the {t.best} best
						{r.first === 1 ? ", the very best among them" : ""}.
					</li>
				))}
				{!bad.length && <li>No soft constraint removes any of the {t.best} best.</li>}
			</ul>
			<div class="prune-scroll">
				<table class="prune-table prune-ranking">
					<thead>
						<tr>
							<th class="digits">cycles</th>
							<th>variant</th>
							<th>fails</th>
						</tr>
					</thead>
					<tbody>
						{t.variants.map((v) => {
							const fails = all.filter((c) => (v.mask >> c.bit) & 1);
							const where = all.map(
								(c) => `${(v.mask >> c.bit) & 1 ? "" : "!"}${c.name}`,
							);

							return (
								<tr
									key={v.member}
									title={`${exact(v.references)} references`}
									onClick={() =>
										s.pick(
											parseWhere(
												where.join(","),
												all.map((c) => c.name),
											),
										)
									}
								>
									<td class="digits">{exact(v.cycles)}</td>
									<td class="mono">{shortValues(v.values)}</td>
									<td class="muted">{fails.map((c) => c.name).join(", ")}</td>
								</tr>
							);
						})}
					</tbody>
				</table>
			</div>
		</Section>
	);
}

function Zoomed() {
	const z = s.zoom.value;

	if (!z.length) return null;
	return (
		<Section
			title="Zoom"
			side={
				<>
					<button class="quiet small" onClick={() => s.zoomOut()}>
						out
					</button>
					<button class="quiet small" onClick={() => s.zoomInto([])}>
						all
					</button>
				</>
			}
		>
			<p class="note prune-where">{sayWhere(z)}</p>
		</Section>
	);
}

export function PruneSide() {
	const p = s.progress.value[s.number.value ?? 0];

	if (!s.space.value)
		return (
			<aside class="right-pane prune-side">
				<p class="note prune-wait">
					{p?.state === "failed"
						? p.error
						: p?.total
							? `evaluating: ${percent(p.done, p.total)}`
							: "evaluating…"}
				</p>
				{p?.state === "running" && s.number.value !== null && (
					<button class="prune-wait" onClick={() => void api.cancel(s.number.value!)}>
						Cancel
					</button>
				)}
			</aside>
		);
	return (
		<aside class="right-pane prune-side">
			<Head />
			<Zoomed />
			<Lists />
			<Tuned />
			<Chosen />
			<Findings />
		</aside>
	);
}
