// The reference at the cursor in words. While it plays the cursor moves faster than one
// can ask: there is one request at a time, and the next asks for where the cursor is then.
import { effect, signal } from "@preact/signals";
import { isAbort } from "../../../api";
import { api } from "../api";
import type { At } from "../model/types";
import { cursor, ready } from "./store";

export const current = signal<At | null>(null);

const PAUSE = 40; // ms between requests while playing

export function followCursor(): void {
	let busy = false;
	let again = false;

	const ask = async (): Promise<void> => {
		const s = ready.peek();

		if (!s) {
			current.value = null;
			return;
		}
		busy = true;
		again = false;
		try {
			const answer = await api.at(s.sim, cursor.peek());
			if (ready.peek()?.sim === s.sim) current.value = answer;
		} catch (e) {
			if (!isAbort(e)) current.value = null;
		}
		setTimeout(() => {
			busy = false;
			if (again) void ask();
		}, PAUSE);
	};

	effect(() => {
		void [cursor.value, ready.value];
		if (busy) again = true;
		else void ask();
	});
}
