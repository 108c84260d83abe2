// Small charts of the panes, as SVG elements: a curve, and a histogram of distances.
import { css, type Colour } from "../../../draw/draw";
import { tick } from "../../../model/format";
import { ticks } from "../../../model/ticks";
import { palette } from "../../../views/palette";

const [W, H] = [268, 132];
const M = { left: 46, right: 8, top: 8, bottom: 20 };

function Frame({ children }: { children: preact.ComponentChildren }) {
	return (
		<svg class="flow-chart" viewBox={`0 0 ${W} ${H}`} role="img">
			{children}
		</svg>
	);
}

export function Curve({
	x,
	y,
	at,
	unit,
	text,
	title,
	onPick,
}: {
	x: ArrayLike<number>;
	y: ArrayLike<number>;
	at: number; // a marked x
	unit: number; // round values are multiples of powers of it: 1024 or 1000
	text(v: number): string;
	title: string; // of the x axis
	onPick(x: number): void;
}) {
	const n = x.length;
	const p = palette.value;
	const known = Array.from(y).filter(Number.isFinite);
	const [low, high] = [x[0] ?? 0, x[n - 1] ?? 1];
	const most = Math.max(...known, 0) || 1;
	const round = unit ** Math.max(0, Math.floor(Math.log(most) / Math.log(unit)));
	const px = (v: number) =>
		M.left + ((v - low) / (high - low || 1)) * (W - M.left - M.right);
	const py = (v: number) => H - M.bottom - (v / most) * (H - M.top - M.bottom);
	let path = "";

	for (let i = 0; i < n; i++)
		if (Number.isFinite(y[i]!))
			path += `${path && Number.isFinite(y[i - 1]!) ? "L" : "M"}${px(x[i]!).toFixed(1)} ${py(y[i]!).toFixed(1)}`;
	if (!known.length) return <p class="note">not known for this part of the program</p>;
	return (
		<Frame>
			<g
				onClick={(e) => {
					const box = e.currentTarget.ownerSVGElement!.getBoundingClientRect();
					const at = ((e.clientX - box.left) / box.width) * W;
					onPick(
						Math.round(low + ((at - M.left) / (W - M.left - M.right)) * (high - low)),
					);
				}}
			>
				<rect
					x={M.left}
					y={M.top}
					width={W - M.left - M.right}
					height={H - M.top - M.bottom}
					fill="transparent"
				/>
				{ticks(0, most / round, 4)
					.map((v) => v * round)
					.map((v) => (
						<g key={v}>
							<line
								x1={M.left}
								x2={W - M.right}
								y1={py(v)}
								y2={py(v)}
								stroke={css(p.grid)}
							/>
							<text x={M.left - 5} y={py(v) + 3} text-anchor="end">
								{text(v)}
							</text>
						</g>
					))}
				{ticks(low, high, 5, 1).map((v) => (
					<text key={v} x={px(v)} y={H - 6} text-anchor="middle">
						{tick(v)}
					</text>
				))}
				<text x={M.left - 8} y={H - 6} text-anchor="end" class="axis">
					{title}
				</text>
				<path d={path} fill="none" stroke={css(p.levels[0]!)} stroke-width="1.8" />
				{at >= low && at <= high && (
					<line
						x1={px(at)}
						x2={px(at)}
						y1={M.top}
						y2={H - M.bottom}
						stroke={css(p.cursor)}
						stroke-width="1.5"
					/>
				)}
			</g>
		</Frame>
	);
}

/** Distances and how often each occurs; `threshold` is where misses begin. */
export function Distances({
	pairs,
	cold,
	threshold,
	exact,
}: {
	pairs: [number, number][];
	cold: number;
	threshold: number;
	exact: boolean;
}) {
	const p = palette.value;
	const largest = Math.max(threshold, ...pairs.map(([d]) => d), 1);
	const BARS = 40;
	const logarithmic = !exact || largest > 400;
	const slot = (d: number) =>
		logarithmic
			? Math.floor((Math.log2(d + 1) / Math.log2(largest + 2)) * BARS)
			: Math.floor((d / (largest + 1)) * Math.min(BARS, largest + 1));
	const slots = logarithmic ? BARS : Math.min(BARS, largest + 1);
	const count = new Array<number>(slots).fill(0);
	const misses = new Array<number>(slots).fill(0);

	for (const [d, n] of pairs) {
		const k = Math.min(slots - 1, slot(d));
		count[k]! += n;
		if (d >= threshold) misses[k]! += n;
	}
	const most = Math.max(1, cold, ...count);
	const right = M.right + 26; // room for cold ones
	const step = (W - M.left - right - 6) / slots;
	const high = (n: number) => (n / most) * (H - M.top - M.bottom);
	const bar = (x: number, w: number, n: number, fill: Colour, key: string) => (
		<rect
			key={key}
			x={x}
			y={H - M.bottom - Math.max(n ? 1 : 0, high(n))}
			width={w}
			height={Math.max(n ? 1 : 0, high(n))}
			fill={css(fill)}
		/>
	);
	const [hit, miss, first] = [p.levels[0]!, p.levels[4]!, p.levels[3]!];
	const labels = logarithmic ? [0, 10, 100, 1000, 10000] : ticks(0, largest, 5, 1);

	return (
		<Frame>
			{ticks(0, most, 3, 1).map((v) => (
				<g key={v}>
					<line
						x1={M.left}
						x2={W - M.right}
						y1={H - M.bottom - high(v)}
						y2={H - M.bottom - high(v)}
						stroke={css(p.grid)}
					/>
					<text x={M.left - 5} y={H - M.bottom - high(v) + 3} text-anchor="end">
						{tick(v)}
					</text>
				</g>
			))}
			{count.map((n, k) => {
				const x = M.left + k * step;
				const w = Math.max(1, step - (step > 4 ? 1 : 0));

				return (
					<g key={k}>
						{bar(x, w, n, hit, "n")}
						{bar(x, w, misses[k]!, miss, "m")}
					</g>
				);
			})}
			{bar(W - M.right - 18, 16, cold, first, "cold")}
			<text x={W - M.right - 10} y={H - 6} text-anchor="middle">
				cold
			</text>
			{labels
				.filter((v) => v <= largest)
				.map((v) => (
					<text
						key={v}
						x={M.left + (Math.min(slots - 1, slot(v)) + 0.5) * step}
						y={H - 6}
						text-anchor="middle"
					>
						{tick(v)}
					</text>
				))}
		</Frame>
	);
}
