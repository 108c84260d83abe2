// Questions about something that moves faster than the server answers.
import { effect } from "@preact/signals";

/*
 * Asks one question at a time. `reads` reads the signals that the question depends on.
 * When one of them changes while an answer is under way, `ask` runs again after that
 * answer, with the values that the signals have then. When `ask` returns true it runs
 * again in any case. The function that oneAtATime() returns ends it; from then on ended()
 * is true.
 */
export function oneAtATime(
	reads: () => void,
	ask: (ended: () => boolean) => Promise<boolean | void>,
): () => void {
	let busy = false;
	let again = false;
	let over = false;

	const run = async (): Promise<void> => {
		busy = true;
		do {
			again = false;
			if (await ask(() => over)) again = true;
		} while (again && !over);
		busy = false;
	};
	const stop = effect(() => {
		reads();
		if (busy) again = true;
		else void run();
	});

	return () => {
		over = true;
		stop();
	};
}

export function pause(ms: number): Promise<void> {
	return new Promise((r) => setTimeout(r, ms));
}
