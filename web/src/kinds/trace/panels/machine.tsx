// The machine editor: a preset, a text, or the fields of a form. The text is kept; the
// form is parsed from it, so that both show the same machine at any moment.
import { computed, signal } from "@preact/signals";
import {
	isCache,
	machineFaults,
	parseMachine,
	printMachine,
	type LevelForm,
	type MachineForm,
} from "../model/machine";
import { documentsOf } from "../../documents";
import { compare, simulate } from "../state/load";
import { open, overlay } from "../../../state/store";
import { KIND, machine, compared, sim, trace } from "../state/store";
import { Icon } from "../../../panels/icon";

const draft = signal("");
const filter = signal("");
const busy = signal(false);
const target = signal<"shown" | "compared">("shown");
const against = signal<number | undefined>(undefined); // the trace to compare with

/** Opens the editor on the machine that is shown, or on the one to compare with. */
export function editMachine(which: "shown" | "compared" = "shown"): void {
	target.value = which;
	draft.value =
		(which === "compared" ? compared.value : sim.value)?.machine || machine.value;
	filter.value = "";
	against.value = compared.value?.trace;
	overlay.value = "machine";
}

/** The preset or host text behind a name, so that the form can show it. */
const spelled = computed(() => {
	const o = open.value;
	const name = draft.value.trim();

	if (name === "host") return o?.host ?? name;
	return o?.machines.find((m) => m.name === name)?.text ?? name;
});
const policies = computed(() => open.value?.policies.map((p) => p.name) ?? []);
const form = computed(() => parseMachine(spelled.value, policies.value));

const faults = computed(() => (form.value ? machineFaults(form.value) : []));

function change(edit: (m: MachineForm) => void): void {
	const m = form.value;

	if (!m) return;
	const copy: MachineForm = {
		...m,
		levels: m.levels.map((l) => ({ ...l, rest: [...l.rest] })),
	};
	edit(copy);
	draft.value = printMachine(copy);
}

function LevelRow({ l, i }: { l: LevelForm; i: number }) {
	const set = (edit: (l: LevelForm) => void) => change((m) => edit(m.levels[i]!));
	const cores = form.value?.cores ?? 1;
	const shares: [string, string][] = [
		["private", "a core"],
		["shared", "all cores"],
		...(l.share?.startsWith("share=")
			? [[l.share, `${l.share.slice(6)} cores`] as [string, string]]
			: []),
	];
	const box = (
		value: string | number | undefined,
		label: string,
		hint: string,
		put: (l: LevelForm, v: string) => void,
	) => (
		<td>
			<input
				aria-label={`${l.name} ${label}`}
				value={value ?? ""}
				placeholder={hint}
				size={4}
				onInput={(e) => set((x) => put(x, e.currentTarget.value.trim()))}
			/>
		</td>
	);
	const choose = (
		value: string | undefined,
		label: string,
		choices: [string, string][],
		put: (l: LevelForm, v: string | undefined) => void,
	) => (
		<td>
			<select
				aria-label={`${l.name} ${label}`}
				value={value ?? ""}
				onChange={(e) => set((x) => put(x, e.currentTarget.value || undefined))}
			>
				{choices.map(([v, t]) => (
					<option key={v} value={v}>
						{t}
					</option>
				))}
			</select>
		</td>
	);

	return (
		<tr>
			<th>{l.name}</th>
			{l.size || isCache(l) ? box(l.size, "size", "32K", (x, v) => (x.size = v)) : <td />}
			{!isCache(l) ? (
				<td colSpan={cores > 1 ? 8 : 7} class="muted mono">
					{[
						l.ways && `${l.ways.replace(/^(\d+)$/, "$1w")}`,
						l.line && `${l.line}B`,
						...l.rest,
					]
						.filter(Boolean)
						.join(" ")}
				</td>
			) : (
				<>
					{box(l.ways, "ways", "8", (x, v) => (x.ways = v || undefined))}
					{box(l.line, "line", "64", (x, v) => (x.line = v || undefined))}
					{choose(
						l.policy === "lru" ? "" : l.policy,
						"policy",
						policies.value.map((p): [string, string] => [p === "lru" ? "" : p, p]),
						(x, v) => (x.policy = v),
					)}
					{choose(
						l.write === "wt" ? "wt" : "",
						"write",
						[
							["", "back"],
							["wt", "through"],
						],
						(x, v) => (x.write = v),
					)}
					{choose(
						l.allocate === "nwa" ? "nwa" : "",
						"write miss",
						[
							["", "allocate"],
							["nwa", "pass on"],
						],
						(x, v) => (x.allocate = v),
					)}
					{choose(
						l.inclusion === "neither" ? "" : l.inclusion,
						"inclusion",
						[
							["", "neither"],
							["inclusive", "inclusive"],
							["exclusive", "exclusive"],
						],
						(x, v) => (x.inclusion = v),
					)}
					{choose(
						l.prefetch,
						"prefetch",
						[
							["", "none"],
							...[
								...new Set([
									...(open.value?.prefetchers ?? []),
									...(l.prefetch ? [l.prefetch] : []),
								]),
							].map((p): [string, string] => [p, p]),
						],
						(x, v) => (x.prefetch = v),
					)}
					{cores > 1 &&
						choose(l.share ?? "private", "shared by", shares, (x, v) => (x.share = v))}
				</>
			)}
			{box(l.cycles, "cycles", "", (x, v) => (x.cycles = v || undefined))}
			<td>
				{!/^(memory|walk|transfer)$/.test(l.name) && (
					<button
						class="quiet small"
						title={`remove ${l.name}`}
						onClick={() => change((m) => void m.levels.splice(i, 1))}
					>
						<Icon name="trash" />
					</button>
				)}
			</td>
		</tr>
	);
}

function addLevel(): void {
	change((m) => {
		const inner = m.levels.filter(isCache);
		const last = inner.at(-1);
		const at = last ? m.levels.indexOf(last) + 1 : 0;
		const size = last
			? `${parseInt(last.size) * 8}${last.size.replace(/^[\d.]+/, "")}`
			: "32K";

		m.levels.splice(at, 0, {
			name: `L${inner.length + 1}`,
			size,
			ways: "16",
			cycles: String(Number(last?.cycles ?? 4) * 3),
			rest: [],
		});
	});
}

function Form() {
	const m = form.value;

	if (!m)
		return (
			<p class="note">
				This text is no list of levels; the server knows whether it is a machine.
			</p>
		);
	return (
		<>
			<table class="form">
				<thead>
					<tr>
						<th>level</th>
						<th>size</th>
						<th>ways</th>
						<th>line</th>
						<th>policy</th>
						<th>writes</th>
						<th>on a write miss</th>
						<th>inclusion</th>
						<th>prefetch</th>
						{m.cores > 1 && <th>one for</th>}
						<th>cycles</th>
						<th />
					</tr>
				</thead>
				<tbody>
					{m.levels.map((l, i) => (
						<LevelRow key={i} l={l} i={i} />
					))}
				</tbody>
			</table>
			<div class="row">
				<button
					class="quiet"
					disabled={m.levels.filter(isCache).length >= 4}
					onClick={addLevel}
				>
					<Icon name="plus" /> level
				</button>
				<label class="inline">
					cores{" "}
					<input
						aria-label="cores"
						type="number"
						min={1}
						max={64}
						value={m.cores}
						onInput={(e) => change((x) => (x.cores = Number(e.currentTarget.value) || 1))}
					/>
				</label>
			</div>
		</>
	);
}

function Presets() {
	const o = open.value;
	const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
	const all = [
		...(o?.host ? [{ name: "host", text: o.host, what: "this computer" }] : []),
		...(o?.machines ?? []),
	];
	const found = all.filter((m) =>
		words.every((w) => `${m.name} ${m.what} ${m.text}`.toLowerCase().includes(w)),
	);

	return (
		<aside class="presets">
			<input
				type="search"
				placeholder="find a machine"
				aria-label="find a machine"
				value={filter.value}
				onInput={(e) => (filter.value = e.currentTarget.value)}
			/>
			<ul>
				{found.map((m) => (
					<li key={m.name}>
						<button
							class={draft.value.trim() === m.name ? "chosen" : ""}
							title={m.text}
							onClick={() => (draft.value = m.name)}
						>
							<b>{m.name}</b>
							<span>{m.what}</span>
						</button>
					</li>
				))}
				{!found.length && <li class="note">no such machine</li>}
			</ul>
		</aside>
	);
}

/** The trace that the machine to compare with runs over, if several are open. */
function Against() {
	const traces = documentsOf(KIND);

	if (traces.length < 2) return null;
	return (
		<label class="select" title="compare with this trace">
			<select
				aria-label="compare with trace"
				value={against.value ?? trace.value?.trace}
				onChange={(e) => (against.value = Number(e.currentTarget.value))}
			>
				{traces.map((t) => (
					<option key={t.number} value={t.number}>
						over {t.number === trace.value?.trace ? "this trace" : t.name}
					</option>
				))}
			</select>
		</label>
	);
}

/** The other open traces: comparing with one of them takes one click. */
function OtherTraces() {
	const others = documentsOf(KIND).filter((t) => t.number !== trace.value?.trace);

	if (target.value !== "compared" || !others.length) return null;
	const over = async (n: number) => {
		busy.value = true;
		await compare(sim.value?.machine || machine.value, n);
		busy.value = false;
		if (compared.value) overlay.value = "";
	};
	return (
		<div class="other-traces">
			<span>The same machine over another open trace:</span>
			{others.map((t) => (
				<button
					key={t.number}
					title={t.path}
					disabled={busy.value}
					onClick={() => void over(t.number)}
				>
					{t.name}
				</button>
			))}
			<span class="muted">or choose another machine:</span>
		</div>
	);
}

/** Whether the text is the machine that is shown, over the trace that is shown. */
const unchanged = computed(
	() =>
		[sim.value?.machine, machine.value].includes(draft.value.trim()) &&
		[undefined, trace.value?.trace].includes(against.value),
);

async function go(which: "shown" | "compared"): Promise<void> {
	if (which === "compared" && unchanged.value) return;
	busy.value = true;
	if (which === "compared") await compare(draft.value, against.value);
	const done =
		which === "compared" ? compared.value !== null : await simulate(draft.value);
	busy.value = false;
	if (done) overlay.value = "";
}

export function MachineEditor() {
	const comparing = target.value === "compared";
	const buttons: ["shown" | "compared", string][] = [
		["compared", comparing ? "Compare" : "Compare with this"],
		["shown", comparing ? "Simulate this instead" : "Simulate"],
	];

	// The main button comes last and does what the dialog was opened for.
	if (comparing) buttons.reverse();
	if (overlay.value === "machine" && !draft.value) draft.value = machine.value;
	return (
		<div class="dialog machine" role="dialog" aria-label="machine">
			<header>
				<h2>{comparing ? "Compare with" : "Machine"}</h2>
				<button class="quiet" title="close" onClick={() => (overlay.value = "")}>
					<Icon name="close" />
				</button>
			</header>
			<OtherTraces />
			<div class="body">
				<Presets />
				<div class="edit-machine">
					<textarea
						aria-label="machine text"
						spellcheck={false}
						rows={2}
						value={draft.value}
						onInput={(e) => (draft.value = e.currentTarget.value.replace(/\n/g, " "))}
						onKeyDown={(e) => {
							if (e.key === "Enter") {
								e.preventDefault();
								void go(target.value);
							}
						}}
					/>
					<Form />
					{faults.value.map((f) => (
						<p key={f} class="fault">
							{f}
						</p>
					))}
				</div>
			</div>
			<footer>
				<span class="note">L1 32K 8w 64B lru wb wa 4c | L2 1M 16w 14c | memory 200c</span>
				<Against />
				{comparing && unchanged.value && (
					<span class="fault">
						This machine is shown already: choose or type another.
					</span>
				)}
				{buttons.map(([which, label]) => (
					<button
						key={which}
						class={which === target.value ? "primary" : ""}
						disabled={busy.value || (which === "compared" && unchanged.value)}
						onClick={() => void go(which)}
					>
						{label}
					</button>
				))}
			</footer>
		</div>
	);
}
