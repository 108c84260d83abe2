// In the top bar: the machine that is simulated, the machine to compare with, their
// progress.
import { exact, percent } from "../../../model/format";
import { Icon } from "../../../panels/icon";
import { namesOfTwo, simName } from "../model/twoMachines";
import type { Sim } from "../model/types";
import { traceName } from "../state/disagreements";
import { cancel } from "../state/load";
import { compared, sim, trace } from "../state/store";
import { editMachine } from "./machine";

function Machine({
	s,
	which,
	text,
}: {
	s: Sim;
	which: "shown" | "compared";
	text: string;
}) {
	const running = s.state === "running";
	const letter = compared.value && (which === "shown" ? "A" : "B");

	return (
		<span class={`machine-chip ${s.state}`}>
			<button
				class="quiet"
				title={s.error ?? `${traceName(s.trace)}: ${s.machine}`}
				onClick={() => editMachine(which)}
			>
				{letter ? <b class="machine-letter">{letter}</b> : <Icon name="chip" />}
				<span class="machine-text">{text}</span>
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

/** The texts of the chips: two machines are told apart by what differs. */
function texts(): [string, string] {
	const [a, b] = [sim.value, compared.value];

	if (!a || !b) return [a ? simName(a) : "", ""];
	return namesOfTwo(a, b, traceName, true);
}

export function Machines({ active }: { active: boolean }) {
	const [one, two] = texts();

	return (
		<>
			{sim.value ? (
				<Machine s={sim.value} which="shown" text={one} />
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
					<Machine s={compared.value} which="compared" text={two} />
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
