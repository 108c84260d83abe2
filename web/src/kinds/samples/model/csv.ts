// The numbers of pictures as rows.
import { isNames, type Axes, type Offenders, type SamplesInfo } from "./table";
import { binText } from "./axes";
import type { Tree } from "./tree";

type Row = Record<string, string | number>;

function field(v: string | number): string {
	const text = String(v);

	return /[",\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}

export function csv(rows: Row[]): string {
	const names = Object.keys(rows[0] ?? {});

	return [names, ...rows.map((r) => names.map((n) => r[n]!))]
		.map((r) => `${r.map(field).join(",")}\n`)
		.join("");
}

export function offendersCsv(o: Offenders | null): string {
	const rows: Row[] = [];
	const put = (
		kind: string,
		name: string,
		line: string,
		x: { samples: number; cycles: number },
	) => rows.push({ kind, name, line, samples: x.samples, cycles: x.cycles });

	for (const g of o?.groups ?? []) {
		put(o!.groupedBy, g.name, "", g);
		for (const l of g.lines ?? []) put("line", g.name, l.line, l);
	}
	for (const x of o?.objects ?? []) put("data object", x.name, "", x);
	for (const x of o?.levels ?? []) put("level", x.name, "", x);
	return csv(rows);
}

interface NodeNumbers {
	samples: ArrayLike<number>;
	cycles: ArrayLike<number>;
	transactions: ArrayLike<number>;
}

export function hardwareCsv(t: Tree | null, l: NodeNumbers | null): Row[] {
	if (!t || !l) return [];
	return t.nodes.map((n, i) => ({
		resource: n.label,
		parent: i ? t.nodes[n.parent]!.label : "",
		samples: l.samples[i]!,
		cycles: l.cycles[i]!,
		transactions: l.transactions[i]!,
	}));
}

export function axesCsv(
	info: SamplesInfo | null,
	a: Axes | null,
	edges: (column: number) => string[] | null,
): Row[] {
	if (!info || !a) return [];
	return a.columns.flatMap((column, i) => {
		const c = info.columns[column]!;
		const e = edges(column);

		return [...a.selected.histograms[i]!].map((n, bin) => ({
			column: c.column,
			bin,
			values: e ? (isNames(c) && bin < e.length - 1 ? e[bin]! : binText(c, e, bin)) : "",
			samples: n,
		}));
	});
}
