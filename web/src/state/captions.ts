// Captions: the page explains something in a few sentences, one after the other, and shows
// what each of them is about. Tours and 'Show me' are talks of this kind.
import { batch, signal } from "@preact/signals";
import { message } from "./store";

export interface Caption {
	text: string; // what to look at, in a sentence or two
	/** The element that the caption is about, as a CSS selector; it is outlined. */
	at?: string;
	/*
	 * Brings the page to the state that the caption describes. `left` says that another
	 * caption is shown meanwhile.
	 */
	show?(left: () => boolean): void | Promise<void>;
}

export interface Talk {
	title: string;
	captions: Caption[]; // at least one
	/** Goes on by itself when a caption has been read. */
	plays: boolean;
	/** Called when the talk is over, however it ends. */
	ended?(): void;
}

/** The talk, the number of its caption, and whether it goes on by itself. */
export const talk = signal<Talk | null>(null);
export const captionNumber = signal(0);
export const talkPlays = signal(false);
/** The caption is being prepared: the time to read it has not begun. */
export const preparing = signal(false);

const READING = 55; // ms a letter
const LOOKING = 2200; // ms

/** The time that a person has for a sentence and the picture beside it, in ms. */
export function timeToRead(text: string): number {
	return LOOKING + READING * text.length;
}

let shown = 0; // counts captions that were shown

async function show(number: number): Promise<void> {
	const t = talk.peek();
	const mine = ++shown;

	captionNumber.value = number;
	preparing.value = true;
	try {
		await t?.captions[number]?.show?.(() => mine !== shown);
	} catch (e) {
		message.value = (e as Error).message;
	}
	if (mine === shown) preparing.value = false;
}

export function beginTalk(t: Talk): void {
	const quiet = matchMedia("(prefers-reduced-motion: reduce)").matches;

	endTalk();
	batch(() => {
		talk.value = t;
		talkPlays.value = t.plays && !quiet;
	});
	void show(0);
}

/** To the next caption or the one before; behind the last one a talk that plays pauses. */
export function turnCaption(by: 1 | -1): void {
	const t = talk.peek();
	const to = captionNumber.peek() + by;

	if (!t || to < 0) return;
	if (to < t.captions.length) void show(to);
	else talkPlays.value = false;
}

/** Plays or pauses; at the end it begins again. */
export function toggleTalk(): void {
	const t = talk.peek();

	if (!t) return;
	talkPlays.value = !talkPlays.peek();
	if (talkPlays.peek() && captionNumber.peek() === t.captions.length - 1) void show(0);
}

export function endTalk(): void {
	const t = talk.peek();

	if (!t) return;
	shown++;
	batch(() => {
		talk.value = null;
		talkPlays.value = false;
		preparing.value = false;
	});
	t.ended?.();
}
