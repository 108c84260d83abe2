// The bottom: playback bar and timeline.
import { useEffect, useRef } from "preact/hooks";
import type { StepBy } from "../api";
import { levelColours } from "../../../draw/colours";
import { css } from "../../../draw/draw";
import { count, exact, parseCount, tick } from "../../../model/format";
import type { Window } from "../../../model/types";
import { placeOfSpeed, speedAt, speeds } from "../model/speed";
import { EVENTS_MAX, playHow, step, toggle, type PlayHow } from "../state/playback";
import {
	select,
	chosenWindow,
	cursor,
	direction,
	hover,
	length,
	levelNames,
	loop,
	playBy,
	playing,
	selection,
	setCursor,
	setSpeed,
	setWindow,
	shownWindow,
	speed,
} from "../state/store";
import { message, option, setOption } from "../../../state/store";
import { createTimeline } from "../timeline/timeline";
import { Icon } from "../../../panels/icon";
import { savePicture } from "../../save";
import { mounted } from "../../../views/mounted";
import { palette } from "../../../views/palette";

/** Kinds of events: id, plural, singular, and the key that steps to the next one. */
const kinds: [StepBy, string, string, string][] = [
	["miss", "misses", "miss", "N"],
	["first", "first touches", "first touch", "F"],
	["line", "lines of code", "line of code", "shift →"],
	["region", "changes of region", "change of region", "R"],
	["phase", "phases", "phase", "ctrl →"],
	["selection", "the selection", "selected reference", "."],
];
const hows: [PlayHow, string][] = [
	["only", "events only"],
	["rest", "everything, resting at"],
	["stop", "everything, stopping at"],
];

/** The events that play and the steps go by. */
function PlayBy() {
	const by = playBy.value;

	return (
		<label class="select play-by" title="events that play and the steps go by">
			<select
				aria-label="play by"
				value={by === "reference" ? by : `${playHow()} ${by}`}
				onChange={(e) => {
					const [how, kind] = e.currentTarget.value.split(" ");
					if (kind) setOption("play.how", how!);
					playBy.value = (kind ?? "reference") as StepBy;
				}}
			>
				<option value="reference">every reference</option>
				{hows.map(([how, label]) => (
					<optgroup key={how} label={label}>
						{kinds.map(([kind, name]) => (
							<option key={kind} value={`${how} ${kind}`}>
								{how === "only" ? name : `${how} at ${name}`}
							</option>
						))}
					</optgroup>
				))}
			</select>
		</label>
	);
}

/** 1000 as 1k, because the room is narrow. */
function short(n: number): string {
	return n >= 1000 && n < 10000 ? `${n / 1000}k` : tick(n);
}

function Speed() {
	const events = playBy.value !== "reference" && playHow() === "only";
	const shown = events ? Math.min(EVENTS_MAX, speed.value) : speed.value;
	const list = speeds.includes(speed.value)
		? speeds
		: [...speeds, speed.value].sort((a, b) => a - b);

	return (
		<span class="speed" title={`${events ? "events" : "references"} a second ([ and ])`}>
			<input
				type="range"
				aria-label="speed"
				min="0"
				max="1"
				step="any"
				value={placeOfSpeed(speed.value)}
				onInput={(e) => setSpeed(speedAt(Number(e.currentTarget.value)))}
				onChange={(e) => e.currentTarget.blur()}
			/>
			<label class="select digits">
				<select
					aria-label="speeds"
					value={String(speed.value)}
					onChange={(e) => setSpeed(Number(e.currentTarget.value) || null)}
				>
					<option value="">as the window</option>
					{list.map((s) => (
						<option key={s} value={String(s)}>
							{short(s === speed.value ? shown : s)}/s
						</option>
					))}
				</select>
			</label>
		</span>
	);
}

/** Names of the levels in their colours: pointing pre-selects, a click selects. */
function Legend() {
	const names = levelNames.value;
	const colours = levelColours(palette.value, names.length);

	return (
		<span class="legend" role="group" aria-label="levels">
			{names.map((name, i) => (
				<button
					key={name}
					class="quiet small"
					title={`references served by ${name}`}
					aria-pressed={selection.value.level === i + 1}
					onPointerEnter={() => (hover.value = { level: i + 1 })}
					onPointerLeave={() => (hover.value = {})}
					onClick={() => select({ level: i + 1 }, true)}
				>
					<i class="mark" style={{ background: css(colours[i]!) }} /> {name}
				</button>
			))}
		</span>
	);
}

function Switch({
	name,
	on,
	off,
	usual = off,
	title,
	children,
}: {
	name: string;
	on: string;
	off: string;
	usual?: string;
	title: string;
	children: preact.ComponentChildren;
}) {
	const pressed = option(name, usual) === on;

	return (
		<button
			class="quiet small"
			title={title}
			aria-pressed={pressed}
			onClick={() => setOption(name, pressed ? off : on)}
		>
			{children}
		</button>
	);
}

/** Both ends of a window; in short numbers if these differ. */
function ends(w: Window): string {
	const short = w.to - w.from > w.to / 100;

	return `${short ? count(w.from) : exact(w.from)} – ${short ? count(w.to) : exact(w.to)}`;
}

/** Goes to a typed moment, "61k" for example; says so if it is none. */
function goToTyped(text: string): void {
	const n = parseCount(text);

	if (n < length.value) setCursor(n);
	else if (Number.isNaN(n))
		message.value = `"${text}" is no moment: type a number such as 61,000, 61k or 2.5M.`;
	else message.value = `The run has only ${exact(length.value)} references.`;
}

/** Plays forwards or, as a smaller button, backwards. */
function Play({ dir }: { dir: 1 | -1 }) {
	const on = playing.value && direction.value === dir;
	const back = dir < 0;

	return (
		<button
			class={back ? "quiet" : "play"}
			title={back ? "play backwards or pause (shift space)" : "play or pause (space)"}
			aria-label={back ? "play backwards" : undefined}
			aria-pressed={on}
			onClick={() => toggle(dir)}
		>
			<Icon name={on ? "pause" : back ? "backwards" : "play"} solid={!on} />
		</button>
	);
}

function Playback() {
	const w = shownWindow.value;
	const kind = kinds.find(([k]) => k === playBy.value);
	const [one, forth] = kind ? [kind[2], kind[3]] : ["reference", "→"];
	const back = { "→": "←", "shift →": "shift ←", "ctrl →": "ctrl ←", N: "P", ".": "," }[
		forth
	];

	return (
		<div class="playback" role="toolbar" aria-label="playback">
			<button
				class="quiet"
				title="to the beginning (Home)"
				onClick={() => setCursor(w.from)}
			>
				<Icon name="first" solid />
			</button>
			<button
				class="quiet"
				title={`one ${one} back (${back ?? `shift ${forth}`})`}
				aria-label="one step back"
				onClick={() => void step(-1)}
			>
				<Icon name="previous" solid />
			</button>
			<Play dir={-1} />
			<Play dir={1} />
			<button
				class="quiet"
				title={`to the next ${one} (${forth})`}
				aria-label="one step"
				onClick={() => void step(1)}
			>
				<Icon name="next" solid />
			</button>
			<button
				class="quiet"
				title="loop the window (L)"
				aria-pressed={loop.value}
				onClick={() => (loop.value = !loop.value)}
			>
				<Icon name="loop" />
			</button>
			<PlayBy />
			<Speed />
			<label class="position">
				<input
					aria-label="reference"
					title={`the reference that is shown, of ${exact(length.value)}`}
					class="digits"
					value={exact(cursor.value)}
					onChange={(e) => {
						goToTyped(e.currentTarget.value);
						e.currentTarget.value = exact(cursor.value);
						e.currentTarget.blur();
					}}
				/>
				{!chosenWindow.value && (
					<span class="muted digits">of {exact(length.value)}</span>
				)}
			</label>
			{chosenWindow.value && (
				<button
					class="chip"
					title="show the whole run (0)"
					onClick={() => setWindow(null)}
				>
					{ends(w)} <Icon name="close" />
				</button>
			)}
			<span class="grow" />
			<Legend />
			<Switch
				name="timeline.by"
				on="cycles"
				off="references"
				title="shares of the cycles instead of the references: above the first level, waiting"
			>
				cycles
			</Switch>
			<Switch
				name="timeline.zoom"
				on="misses"
				off="all"
				usual="misses"
				title="only the top of the chart, where the misses are, if L1 serves nearly everything"
			>
				misses
			</Switch>
			<Switch
				name="timeline.temperature"
				on="on"
				off="off"
				title="cache temperature: above the line, data are reused often enough to pay for fetching them"
			>
				<Icon name="flame" />
			</Switch>
			{(["svg", "png"] as const).map((ending) => (
				<button
					key={ending}
					class="quiet small export"
					title={`save the timeline as ${ending.toUpperCase()}`}
					onClick={() => void savePicture(mounted["timeline"], "timeline", ending)}
				>
					{ending.toUpperCase()}
				</button>
			))}
		</div>
	);
}

export function Dock() {
	const host = useRef<HTMLDivElement>(null);

	useEffect(() => {
		const timeline = createTimeline();

		timeline.mount(host.current!);
		mounted["timeline"] = timeline;
		return () => {
			mounted["timeline"] = null;
			timeline.destroy();
		};
	}, []);
	return (
		<footer class="dock bottom-pane">
			<Playback />
			<div class="canvas timeline" ref={host} />
		</footer>
	);
}
