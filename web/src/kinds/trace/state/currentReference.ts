// The reference at the cursor in words. While playing, the cursor moves faster than the
// server answers: there is one request at a time, and the next asks for the cursor of
// that moment.
import { signal } from "@preact/signals";
import { isAbort } from "../../../api";
import { oneAtATime, pause } from "../../../state/oneAtATime";
import { api } from "../api";
import type { At } from "../model/types";
import { cursor, playing, ready, speed } from "./store";

export const current = signal<At | null>(null);

const PAUSE = 40; // ms between requests while playing
const GLANCE = 250; // the same where words go by too fast to be read
const READABLE = 25; // references a second

export function followCursor(): void {
	oneAtATime(
		() => void [cursor.value, ready.value],
		async () => {
			const s = ready.peek();

			if (!s) {
				current.value = null;
				return;
			}
			try {
				const answer = await api.at(s.sim, cursor.peek());
				if (ready.peek()?.sim === s.sim) current.value = answer;
			} catch (e) {
				if (!isAbort(e)) current.value = null;
			}
			await pause(playing.peek() && speed.peek() > READABLE ? GLANCE : PAUSE);
		},
	);
}
