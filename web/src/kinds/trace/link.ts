// The trace kind's part of the URL: the store into text, and back.
import type { LinkPart } from "../../state/link";
import { documentsOf } from "../documents";
import type { StepBy } from "./api";
import { parseTraceLink, printTraceLink } from "./model/link";
import { openTrace, simulate } from "./state/load";
import {
	KIND,
	chosenWindow,
	compared,
	cursor,
	file,
	loop,
	machine,
	opened,
	playBy,
	playing,
	range,
	restore,
	selection,
	setSpeed,
	speed,
	speedFollows,
	trace,
} from "./state/store";

const steps: StepBy[] = ["line", "phase", "miss", "first", "region", "selection"];

export const traceLink: LinkPart = {
	print(p) {
		const other = compared.value;

		if (!documentsOf(KIND).length) return;
		printTraceLink(
			{
				trace: trace.value?.trace,
				machine: machine.value,
				second: other?.machine,
				with: other && other.trace !== trace.value?.trace ? other.trace : undefined,
				// While playing, the URL would change with every frame.
				// The first moment is not the person's choice until a finding has set it.
				cursor:
					opened.value && !cursor.value
						? undefined
						: playing.value
							? cursor.peek()
							: cursor.value,
				window: chosenWindow.value ?? undefined,
				range: range.value ?? undefined,
				selection: selection.value,
				file: file.value >= 0 ? file.value : undefined,
				speed: speedFollows.value ? undefined : speed.value,
				loop: loop.value,
				by: playBy.value,
			},
			p,
		);
	},
	apply(p) {
		const l = parseTraceLink(p);

		if (l.cursor !== undefined) cursor.value = l.cursor;
		chosenWindow.value = l.window ?? null;
		range.value = l.range ?? null;
		restore(l.selection ?? {});
		if (l.file !== undefined) file.value = l.file;
		setSpeed(l.speed || null);
		loop.value = l.loop ?? false;
		playBy.value = steps.find((s) => s === l.by) ?? "reference";
	},
	async open(p) {
		const l = parseTraceLink(p);

		if (l.trace !== undefined && l.trace !== trace.value?.trace) await openTrace(l.trace);
		if (l.machine && l.machine !== machine.value) await simulate(l.machine);
	},
	settled() {
		return !documentsOf(KIND).length || !!(trace.value && machine.value);
	},
};
