// The dialog that says which column is which: time, latency, CPU, level … and, for AMD IBS,
// how many cycles a hit in L1 takes, which the hardware does not measure.
import { useState } from "preact/hooks";
import { exact } from "../../../model/format";
import { overlay } from "../../../state/store";
import { roleColumn } from "../model/table";
import * as s from "../state";

const MEANING: Record<string, string> = {
	time: "when the access ended",
	latency: "cycles that it took",
	cpu: "the CPU that asked",
	thread: "the thread that asked",
	ip: "address of the instruction",
	file: "source file",
	line: "line in the source file",
	function: "function of the instruction",
	datasource: "what the hardware said about the level",
	level: "the level as a name",
	address: "address of the data",
	variable: "data object",
	index: "element within the data object",
};

/** Roles the person chose, as the option of the command line has them. */
function mapText(chosen: Record<string, string>): string {
	return Object.entries(chosen)
		.filter(([, column]) => column)
		.map(([role, column]) => `${role}=${column}`)
		.join(",");
}

function parseMap(text: string | null): Record<string, string> {
	return Object.fromEntries(
		(text ?? "")
			.split(",")
			.filter(Boolean)
			.map((x) => x.split("=") as [string, string]),
	);
}

export function ColumnsDialog() {
	const i = s.info.value;
	const [chosen, setChosen] = useState(parseMap(i?.mapped ?? null));
	const [l1, setL1] = useState(i?.l1Latency ?? 4);

	if (!i) return null;
	const apply = async () => {
		await s.readAgain(mapText(chosen), l1);
		overlay.value = "";
	};
	return (
		<div class="dialog samples-columns" role="dialog" aria-label="columns">
			<h2>Which column is which</h2>
			<p class="note">
				Headings decide until you choose. The file is read again with your choice; it is
				not changed.
			</p>
			<table class="samples-table">
				<tbody>
					{i.roles.map((role) => {
						const now = roleColumn(i, role);

						return (
							<tr key={role}>
								<td>{role}</td>
								<td class="muted">{MEANING[role]}</td>
								<td>
									<select
										aria-label={role}
										value={chosen[role] ?? ""}
										onChange={(e) =>
											setChosen({ ...chosen, [role]: e.currentTarget.value })
										}
									>
										<option value="">
											{now >= 0 ? `${i.columns[now]!.column} (found)` : "none"}
										</option>
										{i.columns.map((c) => (
											<option key={c.column} value={c.column}>
												{c.column}
											</option>
										))}
									</select>
								</td>
							</tr>
						);
					})}
				</tbody>
			</table>
			<p class={i.l1Guessed ? "" : "muted"}>
				<label>
					Latency of a hit in L1 in cycles, which AMD IBS does not measure:{" "}
					<input
						type="number"
						aria-label="latency of L1"
						min={0}
						max={1000}
						value={l1}
						onInput={(e) => setL1(Number(e.currentTarget.value))}
					/>
				</label>
				{!i.l1Guessed && " (these samples have latencies of their own)"}
			</p>
			<details>
				<summary>{exact(i.columns.length)} columns</summary>
				<div class="samples-scroll">
					<table class="samples-table">
						<tbody>
							{i.columns.map((c) => (
								<tr key={c.column}>
									<td>{c.column}</td>
									<td class="muted">{c.type}</td>
									<td class="mono">
										{c.names === null
											? `${c.min} to ${c.max}`
											: `${exact(c.names)} names`}
									</td>
								</tr>
							))}
						</tbody>
					</table>
				</div>
			</details>
			<p class="row samples-buttons">
				<button class="primary" onClick={() => void apply()}>
					Read again
				</button>
				<button onClick={() => setChosen({})}>By headings</button>
				<button onClick={() => (overlay.value = "")}>Cancel</button>
			</p>
		</div>
	);
}
