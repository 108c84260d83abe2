// Findings: the problems that memlamp sees; a click on one leads to its place.
import { api } from "../api";
import { percent } from "../../../model/format";
import type { Row, Tables } from "../model/types";
import { latest } from "../../../state/latest";
import { select, names, ready, regions, showLine, sim, trace } from "../state/store";
import { Section } from "../../../panels/section";

const answer = latest<Tables>(
	() => {
		const [s, known] = [ready.value, sim.value?.findings];

		return s && known !== undefined ? (abort) => api.findings(s.sim, abort) : null;
	},
	0,
	true,
);

function text(row: Row, ...keys: string[]): string {
	for (const k of keys) {
		const v = row[k];
		if (typeof v === "string" && v) return v;
	}
	return "";
}

/** A file is a number, or a path as the command line prints it. */
function fileOf(v: unknown): number | undefined {
	if (typeof v === "number") return v;
	if (typeof v !== "string") return undefined;
	return trace.value?.files.find((f) => f.path === v || f.path.endsWith(`/${v}`))?.file;
}

function regionOfRow(row: Row): number | undefined {
	if (typeof row["region"] === "number") return row["region"];
	return regions.value.find((r) => r.name === row["region"])?.region;
}

/** Selects the place of a row of the server's tables: its line, its region, or both. */
export function goTo(row: Row): void {
	const file = fileOf(row["file"]);
	const line = row["line"];
	const region = regionOfRow(row);

	if (file !== undefined && typeof line === "number" && line > 0) {
		showLine(file, line);
		select({ file, line, ...(region !== undefined ? { region } : {}) });
	} else if (region !== undefined) {
		select({ region });
	}
}

export function Findings() {
	const found = answer.value.value;
	const rows =
		(Array.isArray(found) ? found : (found?.["findings"] as Row[] | undefined)) ?? [];

	if (!found) return null;
	return (
		<Section title="Findings" side={<span class="muted">{rows.length || "none"}</span>}>
			{rows.length === 0 && <p class="note">Nothing stands out on this machine.</p>}
			<ol class="findings">
				{rows.map((row, i) => {
					const file = fileOf(row["file"]);
					return (
						<li key={i}>
							<button onClick={() => goTo(row)}>
								<b>{text(row, "title", "kind")}</b>
								{((row["evidence"] as string[] | undefined) ?? [])
									.slice(0, 2)
									.map((e) => (
										<span key={e}>{e}</span>
									))}
								{text(row, "advice") && <em>{text(row, "advice")}</em>}
								{typeof row["gain"] === "number" && row["gain"] > 0 && (
									<span>
										could save {percent(row["gain"] as number)} of all cycles (
										{text(row, "predicted")})
									</span>
								)}
								{file !== undefined && (
									<small class="mono">
										{names.file(file)}:{String(row["line"] ?? "")}
									</small>
								)}
							</button>
						</li>
					);
				})}
			</ol>
		</Section>
	);
}
