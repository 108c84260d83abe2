// Numbers as people read them. Every number on the page goes through here.

const steps: [number, string][] = [
	[1e12, "T"],
	[1e9, "G"],
	[1e6, "M"],
	[1e3, "k"],
];

/** 1,234 exactly; 12.3k, 4.56M from ten thousand on. */
export function count(n: number): string {
	if (!Number.isFinite(n)) return "–";
	if (Math.abs(n) < 10000) return exact(n);
	for (const [step, unit] of steps) {
		if (Math.abs(n) < step) continue;
		const v = n / step;
		return (v >= 100 ? v.toFixed(0) : v >= 10 ? v.toFixed(1) : v.toFixed(2)) + unit;
	}
	return exact(n);
}

/** As count, without digits that say nothing: 10k, 2.5M. For axes. */
export function tick(n: number): string {
	return count(n).replace(/\.0+(?=[a-zA-Z]$)|(?<=\.\d)0+(?=[a-zA-Z]$)/, "");
}

/** All digits, grouped. */
export function exact(n: number): string {
	if (!Number.isFinite(n)) return "–";
	return Math.round(n)
		.toString()
		.replace(/\B(?=(\d{3})+$)/g, ",");
}

/** 0.1234 is 12.3 %. */
export function percent(part: number, whole = 1): string {
	if (!whole) return "–";
	const p = (100 * part) / whole;
	if (p === 0) return "0 %";
	if (p < 0.1) return "<0.1 %";
	return (
		(p >= 99.95 ? p.toFixed(0) : p >= 10 ? p.toFixed(1) : p.toFixed(p < 1 ? 2 : 1)) + " %"
	);
}

/** 32768 is 32 KiB. */
export function bytes(n: number): string {
	const units = ["B", "KiB", "MiB", "GiB", "TiB"];
	let i = 0;

	while (n >= 1024 && i < units.length - 1) {
		n /= 1024;
		i++;
	}
	return `${Number.isInteger(n) ? n : n >= 100 ? n.toFixed(0) : n.toFixed(1)} ${units[i]}`;
}

/** "32K", "1.5 MiB" and "4096" as bytes; NaN for any other text. */
export function parseBytes(text: string): number {
	const m = text.trim().match(/^(\d+(?:\.\d+)?)\s*([kmg]?)(i?b)?$/i);
	const power = ["", "k", "m", "g"].indexOf(m?.[2]?.toLowerCase() ?? "");

	return m ? Math.round(Number(m[1]) * 1024 ** power) : NaN;
}

/** "61k", "2.5M", "1,000" and "@12 000" as a count; NaN for any other text. */
export function parseCount(text: string): number {
	const m = text.replace(/[\s,_]/g, "").match(/^@?(\d+(?:\.\d+)?)([kmgt]?)$/i);
	const power = ["", "k", "m", "g", "t"].indexOf(m?.[2]?.toLowerCase() ?? "");

	// A fraction of one is no count.
	if (!m || (!power && m[1]!.includes("."))) return NaN;
	return Math.round(Number(m[1]) * 1000 ** power);
}

/** The last parts of a path, enough to know it by. */
export function shortPath(path: string, parts = 1): string {
	return path.split("/").slice(-parts).join("/");
}
