// The numbers of the picture, for export: moments, cells of a density, points of the plane.
import type { Angles, CyclePlace, PlaneMap } from "../model/cycles";

type Row = Record<string, string | number>;

function placed(p: CyclePlace | undefined, region: string | undefined): Row {
	return {
		file: p?.file ?? "",
		line: p?.line ?? 0,
		function: p?.function ?? "",
		region: region ?? "",
	};
}

export function momentRows(a: Angles): Row[] {
	return Array.from(a.time, (time, i) => ({
		time,
		turns: a.turns[i]!,
		...placed(a.places[a.place[i]!], a.regions[a.region[i]!]?.name),
	}));
}

/** Cells with moments; `time` and `turns` are those at which their row begins. */
export function cellRows(a: Angles): Row[] {
	const rows: Row[] = [];

	a.moments?.forEach((moments, i) => {
		const row = Math.floor(i / a.sectors);
		if (!moments) return;
		rows.push({
			time: a.time[row]!,
			turns: a.turns[row]!,
			angle: (i % a.sectors) / a.sectors,
			moments,
			...placed(a.places[a.place[i]!], a.regions[a.region[i]!]?.name),
		});
	});
	return rows;
}

export function planeRows(m: PlaneMap): Row[] {
	return Array.from(m.x, (x, i) => ({
		x,
		y: m.y[i]!,
		geodesic_x: m.geodesic_x[i]!,
		geodesic_y: m.geodesic_y[i]!,
		angle: m.turns[i]!,
		moments: m.moments[i]!,
	}));
}

export function asText(rows: Row[], kind: "csv" | "json"): string {
	if (kind === "json") return JSON.stringify(rows, null, 1);
	const keys = Object.keys(rows[0] ?? {});
	const cell = (v: unknown) =>
		/[",\n]/.test(String(v)) ? `"${String(v).replaceAll('"', '""')}"` : String(v);

	return [
		keys.join(","),
		...rows.map((r) => keys.map((k) => cell(r[k])).join(",")),
		"",
	].join("\n");
}
