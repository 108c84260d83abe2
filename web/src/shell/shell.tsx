// The page as a whole: panes with bars between them that can be dragged, and overlays.
import { signal } from "@preact/signals";
import { connection, message, open, overlay, trace } from "../state/store";
import { asking } from "../state/latest";
import { Details } from "../kinds/trace/panels/details";
import { Dock } from "../kinds/trace/panels/dock";
import { EnsembleSide } from "../kinds/ensemble/panels/side";
import { Help } from "./help";
import { Icon } from "../panels/icon";
import { MachineEditor } from "../kinds/trace/panels/machine";
import { Movie } from "../kinds/trace/panels/movie";
import { Search } from "./search";
import { Source } from "../kinds/trace/panels/source";
import { Stage, shownKind } from "./stage";
import { Topbar } from "./topbar";

type Pane = "left" | "right" | "bottom";

const KEY = "memlamp.panes";
const least: Record<Pane, number> = { left: 160, right: 180, bottom: 90 };

function kept(): Record<Pane, number> {
	const wide = innerWidth >= 1700;
	const usual = {
		left: wide ? 640 : 430,
		right: wide ? 360 : 290,
		bottom: wide ? 190 : 160,
	};

	try {
		return { ...usual, ...JSON.parse(localStorage.getItem(KEY) ?? "{}") };
	} catch {
		return usual;
	}
}

const panes = signal(kept());

function resize(pane: Pane, to: number): void {
	const room = pane === "bottom" ? innerHeight * 0.6 : innerWidth * 0.45;

	panes.value = {
		...panes.value,
		[pane]: Math.round(Math.max(least[pane], Math.min(to, room))),
	};
	localStorage.setItem(KEY, JSON.stringify(panes.value));
}

function Splitter({ pane }: { pane: Pane }) {
	const sign = pane === "left" ? 1 : -1;

	return (
		<div
			class={`splitter ${pane}`}
			role="separator"
			aria-label={`${pane} pane`}
			aria-orientation={pane === "bottom" ? "horizontal" : "vertical"}
			tabIndex={0}
			onPointerDown={(e) => {
				const start = pane === "bottom" ? e.clientY : e.clientX;
				const before = panes.value[pane];
				const bar = e.currentTarget;
				bar.setPointerCapture(e.pointerId);
				bar.onpointermove = (m) =>
					resize(
						pane,
						before + sign * ((pane === "bottom" ? m.clientY : m.clientX) - start),
					);
				bar.onpointerup = () => (bar.onpointermove = null);
			}}
			onKeyDown={(e) => {
				const by = { ArrowLeft: -16, ArrowRight: 16, ArrowUp: -16, ArrowDown: 16 }[e.key];
				if (!by) return;
				e.stopPropagation();
				resize(pane, panes.value[pane] + sign * by);
			}}
		/>
	);
}

const sentences = {
	lost: [
		"memlamp does not answer",
		"The server has ended or the connection is cut. Start `memlamp view` again, or the ssh tunnel; this page asks again every second.",
	],
	ended: [
		"memlamp has ended",
		"Start `memlamp view` again with the same --port to go on here, or open the new address that it prints.",
	],
	refused: [
		"memlamp does not know this page",
		"The token of this page is not that of the server. Open the address that `memlamp view` printed.",
	],
};

function Connection() {
	const c = connection.value;

	if (c === "ok") return null;
	return (
		<div class={open.value && c !== "refused" ? "banner" : "cover"} role="alert">
			<b>{sentences[c][0]}</b> <span>{sentences[c][1]}</span>
		</div>
	);
}

function Overlay() {
	const which = overlay.value;

	if (!which) return null;
	return (
		<div
			class="veil"
			onPointerDown={(e) => e.target === e.currentTarget && (overlay.value = "")}
		>
			{which === "search" && <Search />}
			{which === "help" && <Help />}
			{which === "machine" && <MachineEditor />}
			{which === "movie" && <Movie />}
		</div>
	);
}

export function Shell() {
	const { left, right, bottom } = panes.value;
	const wide = shownKind().wide;

	return (
		<div
			class={wide ? "shell wide" : "shell"}
			style={{
				"--left": `${left}px`,
				"--right": `${right}px`,
				"--bottom": `${bottom}px`,
			}}
		>
			<Topbar />
			<div class={asking.value > 0 ? "asking on" : "asking"} />
			{!wide && <Source />}
			{!wide && <Splitter pane="left" />}
			<Stage />
			<Splitter pane="right" />
			{wide ? <EnsembleSide /> : <Details />}
			{!wide && <Splitter pane="bottom" />}
			{!wide && <Dock />}
			{open.value && !wide && !trace.value && open.value.traces.length === 0 && (
				<div class="cover">
					<b>No trace is open.</b>
				</div>
			)}
			<Overlay />
			{message.value && (
				<div class="message" role="status">
					{message.value}
					<button
						class="quiet small"
						title="dismiss"
						onClick={() => (message.value = "")}
					>
						<Icon name="close" />
					</button>
				</div>
			)}
			<Connection />
		</div>
	);
}
