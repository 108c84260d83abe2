// The URL follows the store, and the store follows the URL.
import { batch, effect } from "@preact/signals";
import type { StepBy } from "../api";
import { parseLink, printLink, type Link } from "../model/link";
import { select } from "./history";
import { openTrace, simulate } from "../kinds/trace/state/load";
import {
	chosenWindow,
	cursor,
	file,
	loop,
	machine,
	open,
	options,
	playBy,
	playing,
	second,
	selection,
	speed,
	trace,
	view,
} from "./store";

const steps: StepBy[] = ["line", "phase", "miss", "first", "region", "selection"];

function current(): Link {
	return {
		trace: trace.value?.trace,
		machine: machine.value,
		second: second.value?.machine,
		with:
			second.value && second.value.trace !== trace.value?.trace
				? second.value.trace
				: undefined,
		view: view.value,
		// While it plays the address would change with every frame.
		cursor: playing.value ? cursor.peek() : cursor.value,
		window: chosenWindow.value ?? undefined,
		selection: selection.value,
		file: file.value >= 0 ? file.value : undefined,
		speed: speed.value,
		loop: loop.value,
		by: playBy.value,
		options: options.value,
	};
}

function apply(l: Link): void {
	batch(() => {
		if (l.view) view.value = l.view;
		if (l.cursor !== undefined) cursor.value = l.cursor;
		chosenWindow.value = l.window ?? null;
		select(l.selection ?? {});
		if (l.file !== undefined) file.value = l.file;
		if (l.speed) speed.value = l.speed;
		loop.value = l.loop ?? false;
		playBy.value = steps.find((s) => s === l.by) ?? "reference";
		options.value = l.options ?? {};
	});
}

let written = "";

/** Takes over what the URL says, and keeps the two in step from then on. */
export function followLink(): Link {
	const first = parseLink(location.hash);

	apply(first);
	let timer = 0;
	effect(() => {
		const text = printLink(current());

		clearTimeout(timer);
		// Until a trace is there the store does not yet hold what the URL asked for.
		if (!open.value || (open.value.traces.length && !(trace.value && machine.value)))
			return;
		timer = window.setTimeout(() => {
			written = `#${text}`;
			if (location.hash !== written) history.replaceState(null, "", written);
		}, 250);
	});
	window.addEventListener("hashchange", async () => {
		if (location.hash === written) return;
		const l = parseLink(location.hash);
		if (l.trace !== undefined && l.trace !== trace.value?.trace) await openTrace(l.trace);
		if (l.machine && l.machine !== machine.value) await simulate(l.machine);
		apply(l);
	});
	return first;
}
