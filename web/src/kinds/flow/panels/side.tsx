// The pane at the right: sizes, the selected part of the program, curves; for the local view
// see local.tsx.
import { shownView } from "../../documents";
import { bytes, count, exact, shortPath } from "../../../model/format";
import { editorLink } from "../../../panels/editor";
import { Icon } from "../../../panels/icon";
import { Section } from "../../../panels/section";
import { nodeTitle } from "../model/program";
import * as l from "../state/local";
import * as s from "../state/store";
import { metricText, shapeText } from "../views/scene";
import type { Count } from "../api";
import { Curve } from "./chart";
import { LocalSide } from "./local";
import { SizeSlider } from "./sizes";

function Program() {
	const p = s.program.value!;

	return (
		<Section title={p.function}>
			<dl>
				<dt>from</dt>
				<dd>{p.dialect}</dd>
				<dt>moves</dt>
				<dd>
					<code class="flow-formula">{p.bytes ?? "no closed form"}</code> bytes
				</dd>
				<dt>operations</dt>
				<dd>
					<code class="flow-formula">{p.operations ?? "no closed form"}</code>
				</dd>
				<dt>intensity</dt>
				<dd>
					<code class="flow-formula">{p.intensity}</code>
				</dd>
				<dt title="operations of which each needs the one before it">depth</dt>
				<dd>
					<code class="flow-formula">{p.depth ?? "no closed form"}</code> operations in a
					row
				</dd>
				<dt title="operations divided by the depth">parallelism</dt>
				<dd>
					<code class="flow-formula">{p.parallelism}</code> operations at a time
				</dd>
			</dl>
			{p.span_missing && (
				<p class="note small">Loops are taken to run in order: {p.span_missing}.</p>
			)}
			{(p.bounded || p.fitted) && (
				<p class="note small">
					{p.bounded && "Upper bounds: some of it depends on data. "}
					{p.fitted &&
						"Some formulas were fitted, and right at all sizes that were tried."}
				</p>
			)}
		</Section>
	);
}

function Sizes() {
	const names = s.parameters.value;
	const trips = s.program.value!.trips.length;

	return (
		<Section
			title="Sizes"
			side={
				<button
					class="quiet small"
					title={`all sizes ${s.USUAL} again`}
					onClick={() => s.choose({ set: null })}
				>
					reset
				</button>
			}
		>
			{names.map((n) => (
				<SizeSlider
					key={n}
					name={n}
					value={s.size(n)}
					most={4096}
					set={(v) => s.setSize(n, v)}
				/>
			))}
			{!names.length && <p class="note">All sizes are constants.</p>}
			{trips > 0 && (
				<p class="note small">
					{trips === 1 ? "One loop depends" : `${exact(trips)} loops depend`} on data:{" "}
					{s.USUAL} iterations are assumed
					{trips <= 12 ? `: ${s.program.value!.trips.join(", ")}` : ""}.
				</p>
			)}
			{s.metrics.value?.unsimulated && (
				<p class="warning">No misses: {s.metrics.value.unsimulated}.</p>
			)}
		</Section>
	);
}

function Formula({ c }: { c: Count | undefined }) {
	if (!c) return null;
	return (
		<>
			<code class="flow-formula">{c.formula ?? "no closed form"}</code>
			{c.bounded && <span class="muted"> at most</span>}
		</>
	);
}

function SourceLink({ node }: { node: number }) {
	const n = s.tree.value!.nodes[node]!;
	const file = n.file ?? (s.program.value!.dialect === "C" ? s.path.value : null);

	if (!file || !n.line) return null;
	return (
		<p class="row flow-links">
			<button class="link" onClick={() => s.choose({ left: "source" })}>
				{shortPath(file)}:{n.line}
			</button>
			<a class="flow-edit" href={editorLink(file, n.line)} title="open in the editor">
				<Icon name="edit" /> editor
			</a>
		</p>
	);
}

/** What a node moves of each container. */
function Moves({ node }: { node: number }) {
	const [m, r] = [s.metrics.value, s.ready.value];

	if (!m || !r) return null;
	const rows = r.rows[node]!.filter(
		(x) => !r.program.containers[m.container[x]!]!.scalar,
	);
	rows.sort((a, b) => m.read[b]! + m.written[b]! - m.read[a]! - m.written[a]!);
	if (!rows.length) return null;
	return (
		<table class="flow-table">
			<thead>
				<tr>
					<th>container</th>
					<th class="digits">read</th>
					<th class="digits">written</th>
					<th class="digits">footprint</th>
				</tr>
			</thead>
			<tbody>
				{rows.slice(0, 40).map((x) => (
					<tr
						key={x}
						onClick={() => s.pick({ kind: "edge", node, container: m.container[x]! })}
					>
						<td class="mono">{r.program.containers[m.container[x]!]!.name}</td>
						<td class="digits">{m.how[x]! & 1 ? metricText("bytes", m.read[x]!) : ""}</td>
						<td class="digits">
							{m.how[x]! & 2 ? metricText("bytes", m.written[x]!) : ""}
						</td>
						<td class="digits">{metricText("bytes", m.edgeFootprint[x]!)}</td>
					</tr>
				))}
			</tbody>
		</table>
	);
}

/** What iterations of a loop need of each other. */
const CARRIED = {
	parallel: "independent: they may run at the same time",
	reduction: "they add up to one result: partial results may run at the same time",
	sequential: "each needs an earlier one",
	open: "not known whether they need each other",
};

function NodeDetails({ node }: { node: number }) {
	const [m, t] = [s.metrics.value, s.tree.value!];
	const n = t.nodes[node]!;
	const carried = s.program.value!.loops.find((x) => x.node === node);

	return (
		<Section
			title={n.kind === "work" ? "Computation" : n.kind === "scope" ? "Scope" : "Loop"}
			side={
				<button
					class="quiet small"
					title="look at its elements at small sizes (l)"
					onClick={() => l.openLocal(node)}
				>
					local view
				</button>
			}
		>
			<p class="caption mono">{nodeTitle(n)}</p>
			<SourceLink node={node} />
			{m && (
				<dl>
					<dt>executions</dt>
					<dd>
						{count(m.runs[node]!)} = <Formula c={s.formulas.value?.runs} />
					</dd>
					<dt>operations</dt>
					<dd>{metricText("operations", m.operations[node]!)}</dd>
					<dt>intensity</dt>
					<dd>
						{metricText("intensity", s.nodeValue(m, node, "intensity"))} operations a byte
					</dd>
					<dt>moves</dt>
					<dd>{metricText("bytes", m.bytes[node]!)}</dd>
					<dt>footprint</dt>
					<dd>{metricText("footprint", m.footprint[node]!)}</dd>
					{Number.isFinite(m.misses[node]!) && (
						<>
							<dt>misses</dt>
							<dd>
								{exact(m.cold[node]!)} cold, {exact(m.misses[node]!)} capacity
							</dd>
						</>
					)}
					{carried && (
						<>
							<dt>iterations</dt>
							<dd>
								{CARRIED[carried.carries]}
								{carried.why && <span class="note small">: {carried.why}</span>}
							</dd>
						</>
					)}
				</dl>
			)}
			<Moves node={node} />
		</Section>
	);
}

function ContainerDetails({ container }: { container: number }) {
	const c = s.program.value!.containers[container]!;

	return (
		<Section title="Container">
			<p class="caption mono">
				{c.name}
				{shapeText(c)}
			</p>
			<dl>
				<dt>element</dt>
				<dd>
					{c.type}, {bytes(c.element)}
				</dd>
				{c.strides.length > 0 && (
					<>
						<dt>strides</dt>
						<dd class="mono">{c.strides.map((x) => x ?? "?").join(", ")} elements</dd>
					</>
				)}
				<dt>read</dt>
				<dd>
					<code class="flow-formula">{c.read ?? "no closed form"}</code> bytes
				</dd>
				<dt>written</dt>
				<dd>
					<code class="flow-formula">{c.written ?? "no closed form"}</code> bytes
				</dd>
			</dl>
			<p class="note small">
				{c.scalar
					? "A scalar: it lives in a register."
					: c.transient
						? "It exists only inside the program."
						: "The caller passes it."}
				{c.bounded && " The volumes are upper bounds."}
			</p>
		</Section>
	);
}

function EdgeDetails({ node, container }: { node: number; container: number }) {
	const [m, r] = [s.metrics.value, s.ready.value!];
	const row = r.rows[node]!.find((x) => r.metrics.container[x] === container);
	const f = s.formulas.value?.edges.find((e) => e.container === container);

	if (row === undefined || !m) return null;
	return (
		<Section title="Movement">
			<p class="caption mono">
				{r.program.containers[container]!.name} ↔ {nodeTitle(r.tree.nodes[node]!)}
			</p>
			<SourceLink node={node} />
			<dl>
				{(m.how[row]! & 1) !== 0 && (
					<>
						<dt>read</dt>
						<dd>
							{metricText("bytes", m.read[row]!)} = <Formula c={f?.read} /> bytes
						</dd>
					</>
				)}
				{(m.how[row]! & 2) !== 0 && (
					<>
						<dt>written</dt>
						<dd>
							{metricText("bytes", m.written[row]!)} = <Formula c={f?.written} /> bytes
						</dd>
					</>
				)}
				<dt>footprint</dt>
				<dd>{metricText("bytes", m.edgeFootprint[row]!)}</dd>
				{Number.isFinite(m.edgeMisses[row]!) && (
					<>
						<dt>misses</dt>
						<dd>
							{exact(m.edgeCold[row]!)} cold, {exact(m.edgeMisses[row]!)} capacity
						</dd>
					</>
				)}
			</dl>
		</Section>
	);
}

const curves: [string, string][] = [
	["bytes", "bytes moved"],
	["operations", "operations"],
	["intensity", "intensity"],
	["footprint", "footprint"],
	["runs", "executions"],
	["misses", "predicted misses"],
];

function Scaling() {
	const [c, by] = [s.curve.value, s.curveParameter.value];
	const what = s.curveMetric.value;

	if (!by) return null;
	const y = !c
		? []
		: what === "intensity"
			? Float64Array.from(c.operations, (v, i) => v / c.bytes[i]!)
			: what === "operations"
				? c.operations
				: what === "footprint"
					? c.footprint
					: what === "runs"
						? c.runs
						: what === "misses"
							? Float64Array.from(c.misses, (v, i) => v + c.cold[i]!)
							: c.bytes;
	const simulated = what === "misses" ? Array.from(y).filter(Number.isFinite).length : 0;
	return (
		<Section title="How it grows">
			<div class="row flow-selects">
				<label class="select">
					<select
						aria-label="metric of the curve"
						value={what}
						onChange={(e) => s.choose({ curve: e.currentTarget.value })}
					>
						{curves.map(([id, text]) => (
							<option key={id} value={id}>
								{text}
							</option>
						))}
					</select>
				</label>
				<span class="muted">against</span>
				<label class="select">
					<select
						aria-label="parameter of the curve"
						value={by}
						onChange={(e) => s.choose({ against: e.currentTarget.value })}
					>
						{s.parameters.value.map((n) => (
							<option key={n}>{n}</option>
						))}
					</select>
				</label>
			</div>
			{c && (
				<Curve
					x={c.value}
					y={y}
					at={s.size(by)}
					title={by}
					unit={what === "bytes" || what === "footprint" ? 1024 : 1000}
					text={(v) => metricText(what, v)}
					onPick={(v) => s.setSize(by, Math.max(1, v))}
				/>
			)}
			{c && what === "misses" && (
				<p class="note small">
					Cold and capacity misses of lines of {exact(s.line.value)} bytes, distance{" "}
					{exact(s.threshold.value)} and more
					{simulated < c.value.length &&
						`; simulated up to ${by} = ${exact(simulated ? c.value[simulated - 1]! : 0)}: larger sizes have too many accesses`}
					.
				</p>
			)}
		</Section>
	);
}

function Notes() {
	const p = s.program.value!;

	if (!p.notes.length && !p.conditions.length) return null;
	return (
		<Section title="Notes">
			{p.conditions.length > 0 && (
				<p class="note small">
					The formulas hold where {p.conditions.slice(0, 6).join(", ")}
					{p.conditions.length > 6 ? ` and ${p.conditions.length - 6} more hold` : ""}.
				</p>
			)}
			<ul class="flow-notes">
				{p.notes.slice(0, 40).map((n) => (
					<li key={n}>{n}</li>
				))}
			</ul>
		</Section>
	);
}

function GlobalSide() {
	const p = s.picked.value;

	return (
		<>
			<Sizes />
			{p?.kind === "node" && <NodeDetails node={p.node} />}
			{p?.kind === "container" && <ContainerDetails container={p.container} />}
			{p?.kind === "edge" && <EdgeDetails node={p.node} container={p.container} />}
			{!p && <Program />}
			<Scaling />
			<Notes />
		</>
	);
}

export function FlowSide() {
	return (
		<aside class="right-pane details flow-side">
			{!s.program.value ? (
				<p class="note flow-pad">reading the program…</p>
			) : shownView.value?.id === l.LOCAL ? (
				<LocalSide />
			) : (
				<GlobalSide />
			)}
		</aside>
	);
}
