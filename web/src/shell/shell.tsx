// The page as a whole: panes with bars between them that can be dragged, and overlays.
// The kind of document that is shown fills the panes.
import { batch, signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { activeKind, openKinds } from "../kinds/documents";
import { Icon } from "../panels/icon";
import { FOLDED, fitPanes } from "../model/panes";
import { keep, kept } from "../state/kept";
import { asking } from "../state/latest";
import { connection, message, open, overlay } from "../state/store";
import { Help } from "./help";
import { Search } from "./search";
import { Stage } from "./stage";
import { Topbar } from "./topbar";

type Pane = "left" | "right" | "bottom";

const KEY = "memlamp.panes";
const min: Record<Pane, number> = { left: 160, right: 180, bottom: 90 };

function wanted(): Record<Pane, number> {
	const wide = innerWidth >= 1700;
	const usual = {
		left: wide ? 640 : 430,
		right: wide ? 360 : 290,
		bottom: wide ? 190 : 160,
	};

	try {
		return { ...usual, ...JSON.parse(kept(KEY) ?? "{}") };
	} catch {
		return usual;
	}
}

const panes = signal(wanted());
const windowWidth = signal(innerWidth);
const windowHeight = signal(innerHeight);
/** Panes that the person opened although the window is small. */
const opened = signal({ left: false, right: false });

window.addEventListener("resize", () =>
	batch(() => {
		windowWidth.value = innerWidth;
		windowHeight.value = innerHeight;
	}),
);

/** A pane that has folded, for want of room: a click opens it. */
function Folded({ pane }: { pane: "left" | "right" }) {
	return (
		<button
			class={`folded ${pane}-pane`}
			title={`open the ${pane} pane`}
			aria-label={`open the ${pane} pane`}
			aria-expanded={false}
			onClick={() => (opened.value = { ...opened.value, [pane]: true })}
		>
			<Icon name={pane === "left" ? "next" : "previous"} solid />
		</button>
	);
}

function resize(pane: Pane, to: number): void {
	const room = pane === "bottom" ? innerHeight * 0.6 : innerWidth * 0.45;

	panes.value = {
		...panes.value,
		[pane]: Math.round(Math.max(min[pane], Math.min(to, room))),
	};
	keep(KEY, JSON.stringify(panes.value));
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
		>
			{pane !== "bottom" && opened.value[pane] && (
				<button
					class="fold"
					title={`fold the ${pane} pane`}
					aria-label={`fold the ${pane} pane`}
					onPointerDown={(e) => e.stopPropagation()}
					onClick={() => (opened.value = { ...opened.value, [pane]: false })}
				>
					<Icon name={pane === "left" ? "previous" : "next"} solid />
				</button>
			)}
		</div>
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
	const Own = openKinds.value.flatMap((k) => k.overlays?.[which] ?? [])[0];

	if (!which) return null;
	return (
		<div
			class="veil"
			onPointerDown={(e) => e.target === e.currentTarget && (overlay.value = "")}
		>
			{which === "search" && <Search />}
			{which === "help" && <Help />}
			{Own && <Own />}
		</div>
	);
}

const READING = 60; // ms a letter, at leisure
const NOTICING = 4000; // ms

/*
 * A sentence for the person. It goes away by itself, but not under the pointer, and stands
 * behind search, help and dialogs.
 */
function Message() {
	const text = message.value;
	const [held, hold] = useState(false);

	useEffect(() => {
		if (!text || held) return;
		const timer = setTimeout(
			() => (message.value = ""),
			NOTICING + READING * text.length,
		);
		return () => clearTimeout(timer);
	}, [text, held]);
	if (!text) return null;
	return (
		<div
			class="message"
			role="status"
			onPointerEnter={() => hold(true)}
			onPointerLeave={() => hold(false)}
		>
			{text}
			<button
				class="quiet small"
				title="dismiss"
				onClick={() => {
					hold(false);
					message.value = "";
				}}
			>
				<Icon name="close" />
			</button>
		</div>
	);
}

/** The CSS grid of the page with the panes that the kind has. */
function grid(left: boolean, right: boolean, bottom: boolean): string {
	const row = (l: string, m: string, r: string) =>
		`"${[left && `${l} s${l}`, m, right && `s${r} ${r}`].filter(Boolean).join(" ")}"`;
	const all = (area: string) =>
		`"${Array.from({ length: 1 + 2 * (Number(left) + Number(right)) }, () => area).join(" ")}"`;
	const columns = [
		left && "var(--left) 1px",
		"minmax(0, 1fr)",
		right && "1px var(--right)",
	];

	return [
		`${all("top")} 44px`,
		`${row("left", "stage", "right")} minmax(0, 1fr)`,
		...(bottom ? [`${all("sbottom")} 1px`, `${all("bottom")} var(--bottom)`] : []),
		`/ ${columns.filter(Boolean).join(" ")}`,
	].join(" ");
}

export function Shell() {
	const { Left, Side, Bottom } = activeKind.value ?? {};
	const wide = panes.value.right;
	const { left, right } = fitPanes(
		windowWidth.value,
		// Without a pane at the left there is room for a wider one at the right.
		{
			left: Left ? panes.value.left : 0,
			right: Side ? (Left ? wide : Math.max(300, wide)) : 0,
		},
		opened.value,
	);
	const bottom = Math.min(
		panes.value.bottom,
		Math.max(min.bottom, Math.round(windowHeight.value * 0.27)),
	);

	return (
		<div
			class="shell"
			style={{
				"--left": `${left}px`,
				"--right": `${right}px`,
				"--bottom": `${bottom}px`,
				gridTemplate: grid(!!Left, !!Side, !!Bottom),
			}}
		>
			<Topbar />
			<div class={asking.value > 0 ? "asking on" : "asking"} />
			{Left && (left === FOLDED ? <Folded pane="left" /> : <Left />)}
			{Left && <Splitter pane="left" />}
			<Stage />
			{Side && <Splitter pane="right" />}
			{Side && (right === FOLDED ? <Folded pane="right" /> : <Side />)}
			{Bottom && <Splitter pane="bottom" />}
			{Bottom && <Bottom />}
			{open.value && !activeKind.value && (
				<div class="cover">
					<b>Nothing is open.</b>
				</div>
			)}
			<Overlay />
			<Message />
			<Connection />
		</div>
	);
}
