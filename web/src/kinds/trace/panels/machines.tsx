// In the top bar: the machine that is simulated, the machine to compare with, their
// progress.
import { exact, percent } from "../../../model/format";
import { Icon } from "../../../panels/icon";
import { shortMachine } from "../model/machine";
import type { Sim } from "../model/types";
import { cancel } from "../state/load";
import { compared, sim, trace } from "../state/store";
import { editMachine } from "./machine";

function Machine({ s, which }: { s: Sim; which: "shown" | "compared" }) {
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

export function Machines({ active }: { active: boolean }) {
	return (
		<>
			{sim.value ? (
				<Machine s={sim.value} which="shown" />
			) : (
				trace.value &&
				active && (
					<button class="quiet" onClick={() => editMachine()}>
						<Icon name="chip" /> choose a machine
					</button>
				)
			)}
			{compared.value ? (
				<>
					<span class="muted">vs</span>
					<Machine s={compared.value} which="compared" />
				</>
			) : (
				sim.value && (
					<button
						class="quiet"
						title="compare with another machine"
						onClick={() => editMachine("compared")}
					>
						compare
					</button>
				)
			)}
		</>
	);
}
