// The help overlay: keys, views, colours, the editor that lines open in.
import { levelColours, palette } from "../draw/colours";
import { css } from "../draw/draw";
import { commands } from "./commands";
import { anyEnsemble } from "../kinds/ensemble/state";
import { dark, levelNames, overlay } from "../state/store";
import { shownViews } from "../kinds/registry";
import { setTemplate, template, templates } from "../panels/editor";
import { Icon } from "../panels/icon";
import { shownKey } from "./keys";

function Colours() {
	const p = palette(dark.value);
	const names = levelNames.value.length ? levelNames.value : ["L1", "L2", "L3", "memory"];
	const colours: [string, number][] = [
		...names.map((n, i): [string, number] => [
			`served by ${n}`,
			levelColours(p, names.length)[i]!,
		]),
		["read", p.read],
		["write", p.write],
		["now", p.cursor],
	];

	return (
		<ul class="swatches">
			{colours.map(([name, c]) => (
				<li key={name}>
					<i class="mark" style={{ background: css(c) }} /> {name}
				</li>
			))}
		</ul>
	);
}

function Editor() {
	const known = templates.some(([, t]) => t === template.value);

	return (
		<div class="row">
			<select
				aria-label="editor"
				value={known ? template.value : ""}
				onChange={(e) => e.currentTarget.value && setTemplate(e.currentTarget.value)}
			>
				{templates.map(([name, t]) => (
					<option key={name} value={t}>
						{name}
					</option>
				))}
				{!known && <option value="">other</option>}
			</select>
			<input
				class="mono grow"
				aria-label="editor link"
				value={template.value}
				onChange={(e) => setTemplate(e.currentTarget.value)}
			/>
		</div>
	);
}

/** What the pointer does on the timeline. */
const gestures: [string, string][] = [
	["Go to a reference", "click"],
	["Zoom", "wheel"],
	["Earlier, later", "drag"],
	["Choose a window", "shift drag"],
	["Ends of the window", "handles above"],
	["Window of a phase", "click its name"],
];

const ensembleGestures: [string, string][] = [
	["Read a member", "point"],
	["Select a member, set the moment", "click"],
	["Choose a window", "drag, shift drag"],
	["Zoom", "wheel"],
	["Window on the whole run", "strip below"],
	["Hide a value", "click it in the legend"],
	["Show only this value", "shift click"],
];

export function Help() {
	const groups = [
		"Playback",
		"Window",
		"Selection",
		...(anyEnsemble.value ? (["Ensemble"] as const) : []),
		"Page",
	] as const;

	return (
		<div class="dialog help" role="dialog" aria-label="help">
			<header>
				<h2>Help</h2>
				<button class="quiet" title="close" onClick={() => (overlay.value = "")}>
					<Icon name="close" />
				</button>
			</header>
			<div class="body">
				<p>
					memlamp shows what a program does to memory: at the left its source with what
					each line costs, in the middle a view, below the whole run in time, at the right
					what is selected. A click in one place selects in all.
				</p>
				<div class="keys">
					{groups.map((g) => (
						<section key={g}>
							<h3>{g}</h3>
							{commands
								.filter((c) => c.group === g && c.keys.length)
								.map((c) => (
									<div key={c.title}>
										<span>{c.title}</span>
										<kbd>{shownKey(c.keys[0])}</kbd>
									</div>
								))}
						</section>
					))}
					<section>
						<h3>Timeline and event map</h3>
						{gestures.map(([what, how]) => (
							<div key={what}>
								<span>{what}</span>
								<kbd>{how}</kbd>
							</div>
						))}
					</section>
					{anyEnsemble.value && (
						<section>
							<h3>On an ensemble</h3>
							{ensembleGestures.map(([what, how]) => (
								<div key={what}>
									<span>{what}</span>
									<kbd>{how}</kbd>
								</div>
							))}
						</section>
					)}
				</div>
				<h3>Views</h3>
				<div class="view-list">
					{shownViews().map((v, i) => (
						<div key={v.id}>
							<kbd>{i + 1}</kbd> <b>{v.title}</b> <span class="muted">{v.what}</span>
						</div>
					))}
				</div>
				<h3>Colours</h3>
				<Colours />
				<h3>Lines of code open in</h3>
				<Editor />
			</div>
		</div>
	);
}
