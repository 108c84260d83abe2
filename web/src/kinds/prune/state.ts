// The store of the prune kind: the choices, which are options so that the URL restores them,
// and the server's answers to them.
import { wholeIn } from "../../model/link";
import { computed, signal } from "@preact/signals";
import { activeKind, documentsOf, shownView } from "../documents";
import { choices } from "../../state/history";
import { latest } from "../../state/latest";
import { api } from "./api";
import {
	parseWhere,
	printWhere,
	survivors,
	usualRings,
	type Constraint,
	type Progress,
	type Space,
	type Where,
} from "./model/space";

export const KIND = "prune";

export const active = computed(() => activeKind.value?.id === KIND);

const { chosen: opt, choose } = choices(KIND);
export { choose };

/** The number of the search space that is shown. */
export const number = computed(() => {
	const all = documentsOf(KIND);
	const wanted = Number(opt("of", "0"));

	return (all.find((d) => d.number === wanted) ?? all[0])?.number ?? null;
});

/** How far evaluations are, by the number of the document. */
export const progress = signal<Record<number, Progress>>({});

const first = latest<Space>(() => {
	const n = number.value;

	return n === null ? null : (abort) => api.space(n, null, abort);
}).value;

const names = computed(() => first.value?.constraints.map((c) => c.name) ?? []);

/** The visible constraints: rings from the centre outwards. */
export const rings = computed<string[]>(() => {
	const text = opt("rings", "*");

	if (text === "*") return first.value ? usualRings(first.value) : [];
	return parseWhere(text, names.value).map((x) => x.name);
});
export const hidden = computed(() => names.value.filter((n) => !rings.value.includes(n)));

/** The sector that fills the circle; its rings are not drawn. */
export const zoom = computed<Where>(() => parseWhere(opt("zoom", ""), names.value));
/** The rings that are drawn: those that the zoom does not fix. */
export const drawn = computed(() =>
	rings.value.filter((r) => !zoom.value.some((z) => z.name === r)),
);
/** The selected variants; null: the survivors are listed. */
export const picked = computed<Where | null>(() => {
	const text = opt("pick", "");

	return text ? parseWhere(text, names.value) : null;
});
/** The sector under the pointer. */
export const hovered = signal<Where | null>(null);
/** The constraint under the pointer, in the lists or as a ring. */
export const pointed = signal<string | null>(null);

export const machine = computed(() => wholeIn(opt("machine", "0"), 0, 1e6, 0));

export function setRings(list: string[]): void {
	const usual = first.value ? usualRings(first.value).join(",") : "";

	choose({ rings: list.join(",") === usual ? null : list.join(","), zoom: null });
}

export function pick(w: Where | null): void {
	choose({ pick: w?.length ? printWhere(w) : null });
}

export function zoomInto(w: Where): void {
	choose({ zoom: w.length ? printWhere(w) : null });
}

/** Undoes the innermost step of the zoom: one ring further out. */
export function zoomOut(): void {
	zoomInto(zoom.value.slice(0, -1));
}

/** The space, with relative numbers in the order of the rings. */
export const space = latest<Space>(() => {
	const [n, order] = [number.value, rings.value];

	return n === null || !first.value ? null : (abort) => api.space(n, order, abort);
}).value;

export function constraint(name: string): Constraint | undefined {
	return space.value?.constraints.find((c) => c.name === name);
}

export const tuned = latest(() => {
	const [n, m] = [number.value, machine.value];

	return n === null || !first.value?.described || !active.value
		? null
		: (abort) => api.tuned(n, m, abort);
}).value;
export const simulated = computed(() => (tuned.value?.simulated ?? 0) > 0);
/** What sectors are coloured by. */
export const colour = computed<"kind" | "result">(() =>
	simulated.value && opt("colour", "kind") === "result" ? "result" : "kind",
);

/** Whether a view is shown: questions for the others wait. */
function shows(view: string): boolean {
	return active.value && shownView.value?.id === view;
}

/** Cells of the circle that the view can show; the view sets it. */
export const cells = signal(1440);

export const sunburst = latest(() => {
	const [n, order] = [number.value, drawn.value];
	const [inside, room, m] = [zoom.value, cells.value, machine.value];

	// the answer to an ensemble that was opened later must not stay without its results
	void tuned.value;
	return n === null || !first.value || !shows("sunburst")
		? null
		: (abort) => api.sunburst(n, order, inside, room, m, abort);
}).value;

/** Combinations that the overlap view has room for; the view sets it. */
export const columns = signal(40);
export const combinations = latest(() => {
	const [n, top] = [number.value, columns.value];

	return n === null || !first.value || !shows("overlap")
		? null
		: (abort) => api.combinations(n, top, abort);
}).value;

/** What the lists are about, as text for the server. */
export const listed = computed<Where>(
	() => picked.value ?? (first.value ? survivors(first.value) : []),
);

export const PAGE = 25;
export const page = computed(() => wholeIn(opt("page", "0"), 0, 1e12, 0));
export const variants = latest(() => {
	const [n, where, p] = [number.value, printWhere(listed.value), page.value];

	return n === null || !first.value?.described || !active.value
		? null
		: (abort) => api.variants(n, where, p * PAGE, PAGE, abort);
}, 40).value;

export const nearest = latest(() => {
	const n = number.value;

	return n === null || !first.value?.described || !active.value || first.value.survivors
		? null
		: (abort) => api.nearest(n, 5, abort);
}).value;

/** Bins of a histogram; the view sets it. */
export const bins = signal(64);
export const distributions = latest(() => {
	const [n, where, b] = [number.value, printWhere(listed.value), bins.value];

	return n === null || !first.value?.described || !shows("parameters")
		? null
		: (abort) => api.distributions(n, where, b, abort);
}, 40).value;
