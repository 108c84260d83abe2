// The card above the picture that shows the captions of a talk, and an outline around the
// element that a caption is about.
import { useEffect, useRef, useState } from "preact/hooks";
import { Icon } from "../panels/icon";
import {
	captionNumber,
	endTalk,
	preparing,
	talk,
	talkPlays,
	timeToRead,
	toggleTalk,
	turnCaption,
} from "../state/captions";

/** Goes on when the caption has been read. */
function useClock(text: string): void {
	const [number, runs] = [captionNumber.value, talkPlays.value && !preparing.value];

	useEffect(() => {
		if (!runs) return;
		const timer = setTimeout(() => turnCaption(1), timeToRead(text));
		return () => clearTimeout(timer);
	}, [text, number, runs]);
}

/** A person who presses something else on the page wants to look around: the talk pauses. */
function usePause(card: { current: HTMLElement | null }): void {
	useEffect(() => {
		const press = (e: PointerEvent) => {
			if (!card.current?.contains(e.target as Node)) talkPlays.value = false;
		};

		window.addEventListener("pointerdown", press, true);
		return () => window.removeEventListener("pointerdown", press, true);
	}, []);
}

function Outline({ of }: { of: string }) {
	const [box, setBox] = useState<DOMRect | null>(null);

	useEffect(() => {
		const measure = () =>
			setBox(document.querySelector(of)?.getBoundingClientRect() ?? null);
		// The element may come or move a moment later, when the page has laid itself out.
		const timer = setInterval(measure, 250);

		measure();
		return () => clearInterval(timer);
	}, [of]);
	if (!box) return null;
	return (
		<div
			class="caption-outline"
			style={{
				left: `${box.left - 3}px`,
				top: `${box.top - 3}px`,
				width: `${box.width + 6}px`,
				height: `${box.height + 6}px`,
			}}
		/>
	);
}

function Buttons({ last }: { last: boolean }) {
	const plays = talk.value!.plays;

	return (
		<span class="caption-buttons">
			<button
				class="quiet"
				title="previous (←)"
				disabled={captionNumber.value === 0}
				onClick={() => turnCaption(-1)}
			>
				<Icon name="previous" solid />
			</button>
			{plays && (
				<button
					class="quiet"
					title={talkPlays.value ? "pause (space)" : "go on (space)"}
					onClick={toggleTalk}
				>
					<Icon name={talkPlays.value ? "pause" : "play"} solid={!talkPlays.value} />
				</button>
			)}
			{plays ? (
				<button
					class="quiet"
					title="next (→)"
					disabled={last}
					onClick={() => turnCaption(1)}
				>
					<Icon name="next" solid />
				</button>
			) : (
				<button
					class="primary"
					title={last ? "close (Esc)" : "next (→)"}
					onClick={() => (last ? endTalk() : turnCaption(1))}
				>
					{last ? "Done" : "Next"}
				</button>
			)}
			<button class="quiet" title="close (Esc)" onClick={endTalk}>
				<Icon name="close" />
			</button>
		</span>
	);
}

function Card() {
	const card = useRef<HTMLElement>(null);
	const t = talk.value!;
	const n = captionNumber.value;
	const caption = t.captions[n]!;

	useClock(caption.text);
	usePause(card);
	return (
		<section class="caption-card" aria-label={t.title} ref={card}>
			<header>
				<b>{t.title}</b>
				<span class="muted digits">
					{n + 1} of {t.captions.length}
				</span>
				<Buttons last={n === t.captions.length - 1} />
			</header>
			<div class="caption-texts" aria-live="polite">
				{t.captions.map((c, i) => (
					<p key={i} aria-hidden={i !== n} class={i === n ? "" : "unread"}>
						{c.text}
					</p>
				))}
			</div>
			{talkPlays.value && !preparing.value && (
				<i
					key={n}
					class="caption-time"
					style={{ animationDuration: `${timeToRead(caption.text)}ms` }}
				/>
			)}
		</section>
	);
}

export function Captions() {
	const at = talk.value?.captions[captionNumber.value]?.at;

	return (
		talk.value && (
			<>
				<Card />
				{at && <Outline of={at} />}
			</>
		)
	);
}
