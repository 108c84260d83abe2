// The history of the bytes that are selected: accesses before and behind the cursor.
import { computed } from "@preact/signals";
import { api } from "../api";
import type { Datum } from "../model/types";
import { latest } from "../../../state/latest";
import { cursor, playing, ready, selection } from "./store";

const WAIT = 150; // ms; a cursor that is dragged asks once it rests
const ACCESSES = 12; // on either side

const answer = latest<Datum>(() => {
	const s = ready.value;
	const { region, offset } = selection.value;
	// While playing, the list would change faster than a person reads.
	const around = playing.value ? cursor.peek() : cursor.value;

	if (!s || region === undefined || !offset) return null;
	const [low, high] = offset;
	return (abort) =>
		api.datum(
			s.sim,
			{ region, offset: low, size: Math.max(1, high - low), around, count: ACCESSES },
			abort,
		);
}, WAIT);

/** Null when no bytes are selected. */
export const datum = computed(() => answer.value.value);
/** Whether it is the history of the bytes that are selected now, around this moment. */
export const datumFresh = answer.fresh;
