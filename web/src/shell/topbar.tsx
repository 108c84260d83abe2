// The top: what is open, search, the machine and its progress, theme, help.
import { shareable } from "../api";
import { exact, percent } from "../model/format";
import { shortMachine } from "../kinds/trace/model/machine";
import type { Sim } from "../model/types";
import { active, ensemble } from "../kinds/ensemble/state";
import { cancel, openTrace, simulate } from "../kinds/trace/state/load";
import {
	dark,
	machine,
	message,
	open,
	overlay,
	second,
	sim,
	trace,
} from "../state/store";
import { toggleTheme } from "../state/theme";
import { Icon } from "../panels/icon";
import { editMachine } from "../kinds/trace/panels/machine";

function Traces() {
	const traces = open.value?.traces ?? [];

	if (active.value)
		return (
			<span class="trace-name" title={ensemble.value?.path}>
				{ensemble.value?.name}
			</span>
		);
	if (!trace.value) return null;
	if (traces.length < 2)
		return (
			<span class="trace-name" title={trace.value.path}>
				{trace.value.name}
			</span>
		);
	return (
		<label class="select" title={trace.value.path}>
			<select
				aria-label="trace"
				value={trace.value.trace}
				onChange={(e) =>
					void openTrace(Number(e.currentTarget.value)).then(() =>
						simulate(machine.value),
					)
				}
			>
				{traces.map((t) => (
					<option key={t.trace} value={t.trace}>
						{t.name}
					</option>
				))}
			</select>
		</label>
	);
}

function Machine({ s, which }: { s: Sim; which: "first" | "second" }) {
	const running = s.state === "running";

	return (
		<span class={`machine-chip ${s.state}`}>
			<button
				class="quiet"
				title={s.error ?? s.machine}
				onClick={() => editMachine(which)}
			>
				<Icon name="chip" />
				<span class="machine-text">{s.name || shortMachine(s.levels) || s.machine}</span>
				{s.state === "failed" && <span class="fault">failed</span>}
				{s.state === "cancelled" && <span class="muted">cancelled</span>}
			</button>
			{running && (
				<>
					<progress
						aria-label="simulation"
						max={1}
						value={s.total ? s.done / s.total : 0}
						title={`${exact(s.done)} of ${exact(s.total)} references`}
					/>
					<span class="digits muted">{percent(s.done, s.total || 1)}</span>
					<button
						class="quiet small"
						title="cancel the simulation"
						onClick={() => void cancel(s)}
					>
						<Icon name="close" />
					</button>
				</>
			)}
		</span>
	);
}

async function copyLink(): Promise<void> {
	try {
		await navigator.clipboard.writeText(shareable());
		message.value =
			"A link to this state of the page is in the clipboard. It holds the token of this server.";
	} catch {
		message.value = `The link to this state: ${shareable()}`;
	}
}

export function Topbar() {
	return (
		<header class="topbar">
			<span class="brand">
				<Icon name="lamp" /> memlamp
			</span>
			<Traces />
			<button class="search-box" onClick={() => (overlay.value = "search")}>
				<Icon name="search" /> <span>Search commands, regions, lines…</span> <kbd>/</kbd>
			</button>
			<span class="grow" />
			{sim.value ? (
				<Machine s={sim.value} which="first" />
			) : (
				trace.value &&
				!active.value && (
					<button class="quiet" onClick={() => editMachine()}>
						<Icon name="chip" /> choose a machine
					</button>
				)
			)}
			{second.value ? (
				<>
					<span class="muted">vs</span>
					<Machine s={second.value} which="second" />
				</>
			) : (
				sim.value && (
					<button
						class="quiet"
						title="compare with another machine"
						onClick={() => editMachine("second")}
					>
						compare
					</button>
				)
			)}
			<button
				class="quiet"
				title="copy a link to this state"
				onClick={() => void copyLink()}
			>
				<Icon name="link" />
			</button>
			<button class="quiet" title="light or dark (T)" onClick={toggleTheme}>
				<Icon name={dark.value ? "sun" : "moon"} />
			</button>
			<button class="quiet" title="help (?)" onClick={() => (overlay.value = "help")}>
				<Icon name="help" />
			</button>
		</header>
	);
}
