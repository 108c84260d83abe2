// The lists of visible and hidden constraints. The visible ones stand as in the paper: the
// first is the outermost ring. Constraints are dragged between the lists and within them;
// the keyboard does the same with arrows (move) and Enter (show or hide).
import { signal } from "@preact/signals";
import { palette } from "../../../views/palette";
import { css } from "../../../draw/draw";
import { Section } from "../../../panels/section";
import { moveRing, share } from "../model/space";
import * as s from "../state";
import { failColour } from "../views/scene";

/** What is dragged, and where it would go: a place in the visible list, or "hidden". */
const dragged = signal<string | null>(null);
const target = signal<number | "hidden" | null>(null);

/** Puts a constraint at a place of the list (0: the first, the outermost ring). */
function put(name: string, place: number | "hidden"): void {
	const rings = s.rings.value;

	s.setRings(moveRing(rings, name, place === "hidden" ? null : rings.length - place));
}

function drop(): void {
	if (dragged.value && target.value !== null) put(dragged.value, target.value);
	dragged.value = null;
	target.value = null;
}

/** The place in the visible list at which the pointer is: above or below a row's middle. */
function placeAt(e: DragEvent, index: number): number {
	const box = (e.currentTarget as HTMLElement).getBoundingClientRect();

	return index + (e.clientY > box.top + box.height / 2 ? 1 : 0);
}

function Row({ name, index }: { name: string; index: number | null }) {
	const c = s.constraint(name);
	const count = s.rings.value.length;
	const colour = css(failColour(palette.value, c?.kind === "soft"));
	const key = (e: KeyboardEvent) => {
		const steps: Record<string, () => void> = {
			Enter: () => put(name, index === null ? 0 : "hidden"),
			ArrowUp: () => index !== null && index > 0 && put(name, index - 1),
			ArrowDown: () => index !== null && index < count - 1 && put(name, index + 2),
		};

		if (!steps[e.key]) return;
		steps[e.key]!();
		e.preventDefault();
		e.stopPropagation();
	};

	return (
		<li
			class={[
				"prune-row",
				dragged.value === name ? "dragged" : "",
				s.pointed.value === name ? "on" : "",
				index !== null && target.value === index ? "before" : "",
				index !== null && target.value === count && index === count - 1 ? "after" : "",
			].join(" ")}
			data-constraint={name}
			draggable
			tabIndex={0}
			title={[c?.about, c?.text, "drag to move; double click to show or hide"]
				.filter(Boolean)
				.join("\n")}
			onPointerEnter={() => (s.pointed.value = name)}
			onPointerLeave={() => (s.pointed.value = null)}
			onDblClick={() => put(name, index === null ? 0 : "hidden")}
			onKeyDown={key}
			onDragStart={(e) => {
				dragged.value = name;
				e.dataTransfer?.setData("text/plain", name);
			}}
			onDragEnd={() => {
				dragged.value = null;
				target.value = null;
			}}
			onDragOver={(e) => {
				if (index === null || dragged.value === null) return;
				e.preventDefault();
				e.stopPropagation();
				target.value = placeAt(e, index);
			}}
		>
			<i class="mark" style={{ background: colour }} />
			<span class="grow">{name}</span>
			<span class="digits muted">
				{c && share(c.eliminated, s.space.value?.variants)}
			</span>
		</li>
	);
}

export function Lists() {
	const visible = [...s.rings.value].reverse();

	return (
		<>
			<Section
				title="Visible constraints"
				side={<span class="muted">outermost first</span>}
			>
				<ul
					class={`prune-list visible ${target.value === 0 && !visible.length ? "over" : ""}`}
					onDragOver={(e) => {
						if (dragged.value === null) return;
						e.preventDefault();
						target.value = visible.length;
					}}
					onDrop={(e) => {
						e.preventDefault();
						drop();
					}}
				>
					{visible.map((name, i) => (
						<Row key={name} name={name} index={i} />
					))}
				</ul>
			</Section>
			<Section title="Hidden constraints">
				<ul
					class={`prune-list hidden-ones ${target.value === "hidden" ? "over" : ""}`}
					onDragOver={(e) => {
						if (dragged.value === null) return;
						e.preventDefault();
						target.value = "hidden";
					}}
					onDrop={(e) => {
						e.preventDefault();
						drop();
					}}
				>
					{s.hidden.value.map((name) => (
						<Row key={name} name={name} index={null} />
					))}
					{!s.hidden.value.length && <li class="note small">none</li>}
				</ul>
			</Section>
		</>
	);
}
