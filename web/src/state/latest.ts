// The last answer to a question that keeps changing. Asking again aborts the request that
// is under way; the old answer stays until the new one is there, so nothing flickers.
// `fresh` says whether the answer is one to the present question: what shows an old answer
// greys it.
import { batch, effect, signal, untracked, type ReadonlySignal } from "@preact/signals";
import { ApiError, isAbort } from "../api";
import { message } from "./store";

/** How many questions wait for an answer. */
export const asking = signal(0);

export type Question<T> = (signal: AbortSignal, early: (answer: T) => void) => Promise<T>;

export interface Latest<T> {
	value: ReadonlySignal<T | null>;
	/** Whether `value` answers the question as it is now; without a question it does. */
	fresh: ReadonlySignal<boolean>;
	dispose(): void;
}

/*
 * `ask` reads signals and returns the question as a function, or null when there is
 * nothing to ask; it runs again when one of these signals changes. Several changes within
 * `wait` ms make one question. A question that is `optional` fails without a message. A
 * question may pass a coarse answer to `early` before the full one is there.
 */
export function latest<T>(
	ask: () => Question<T> | null,
	wait = 0,
	optional = false,
): Latest<T> {
	const value = signal<T | null>(null);
	const fresh = signal(true);
	let abort: AbortController | undefined;
	let timer = 0;

	const stop = effect(() => {
		const question = ask();

		abort?.abort();
		clearTimeout(timer);
		fresh.value = !question;
		if (!question) {
			value.value = null;
			return;
		}
		const mine = (abort = new AbortController());
		const send = async () => {
			asking.value++;
			try {
				const put = (answer: T) => {
					if (mine.signal.aborted) return;
					batch(() => {
						value.value = answer;
						fresh.value = true;
					});
				};
				put(await question(mine.signal, put));
			} catch (e) {
				if (isAbort(e) || mine.signal.aborted) return;
				if (optional) {
					batch(() => {
						value.value = null;
						fresh.value = true;
					});
					return;
				}
				if (e instanceof ApiError && e.status > 0 && e.status !== 409)
					message.value = e.message;
				else if (!(e instanceof ApiError)) message.value = (e as Error).message;
			} finally {
				asking.value--;
			}
		};
		if (wait) timer = window.setTimeout(send, wait);
		else untracked(() => void send());
	});
	return {
		value,
		fresh,
		dispose: () => {
			stop();
			abort?.abort();
			clearTimeout(timer);
		},
	};
}
