// The help overlay: keys, gestures, views, colours, the editor that lines open in.
import { css } from "../draw/draw";
import { listedViews, openKinds } from "../kinds/documents";
import { setTemplate, template, templates } from "../panels/editor";
import { Icon } from "../panels/icon";
import { overlay } from "../state/store";
import { commandGroups } from "./commands";
import { shownKey } from "./keys";
import { beginTour, hasTour } from "./tour";
import { palette } from "../views/palette";

function Colours() {
	const p = palette.value;

	return (
		<ul class="swatches">
			{openKinds.value
				.flatMap((k) => k.help?.colours?.(p) ?? [])
				.map(([name, c]) => (
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

function Keys({ title, rows }: { title: string; rows: [what: string, how: string][] }) {
	return (
		<section>
			<h3>{title}</h3>
			{rows.map(([what, how]) => (
				<div key={what}>
					<span>{what}</span>
					<kbd>{how}</kbd>
				</div>
			))}
		</section>
	);
}

export function Help() {
	const helps = openKinds.value.flatMap((k) => k.help ?? []);

	return (
		<div class="dialog help" role="dialog" aria-label="help">
			<header>
				<h2>Help</h2>
				{hasTour() && <button onClick={beginTour}>Take the tour</button>}
				<button class="quiet" title="close" onClick={() => (overlay.value = "")}>
					<Icon name="close" />
				</button>
			</header>
			<div class="body">
				{helps.map((h) => h.intro && <p key={h.intro}>{h.intro}</p>)}
				<div class="keys">
					{commandGroups().map((g) => (
						<Keys
							key={g.title}
							title={g.title}
							rows={g.commands.map((c) => [c.title, shownKey(c.keys[0])])}
						/>
					))}
					{helps.map(
						(h) => h.gestures && <Keys key={h.gestures.title} {...h.gestures} />,
					)}
				</div>
				<h3>Views</h3>
				<div class="view-list">
					{listedViews.value.map((v, i) => (
						<div key={v.id}>
							<kbd>{i + 1}</kbd> <b>{v.title}</b>{" "}
							<span class="muted">{v.description}</span>
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
