// The dialog that makes a movie of the window in the shown view.
import { signal } from "@preact/signals";
import { exact } from "../../../model/format";
import { message, overlay } from "../../../state/store";
import { shownWindow } from "../state/store";
import {
	canRecord,
	FRAMES_MAX,
	makeMovie,
	momentsOf,
	phasesOf,
	type MovieWish,
} from "./makeMovie";
import { Icon } from "../../../panels/icon";
import { save } from "../../save";
import { mounted } from "../../../views/mounted";
import { shownView } from "../../documents";

const wish = signal<MovieWish>({ kind: "png", frames: 60, seconds: 6 });
const progress = signal<{ done: number; of: number; stop: AbortController } | null>(null);

async function make(): Promise<void> {
	const v = mounted["view"];
	const stop = new AbortController();
	const { kind } = wish.value;

	if (!v?.still) return;
	progress.value = { done: 0, of: 1, stop };
	try {
		const blob = await makeMovie(v, wish.value, stop.signal, (done, of) => {
			progress.value = { done, of, stop };
		});
		// A still picture of the view has the same ending.
		save(blob, `${shownView.value!.id}-movie`, kind);
		overlay.value = "";
	} catch (e) {
		if (!stop.signal.aborted) message.value = (e as Error).message;
	} finally {
		progress.value = null;
	}
}

function close(): void {
	progress.value?.stop.abort();
	overlay.value = "";
}

function Field({
	label,
	of,
	max,
}: {
	label: string;
	of: "frames" | "seconds";
	max: number;
}) {
	return (
		<label class="inline">
			{label}{" "}
			<input
				type="number"
				aria-label={label}
				min={1}
				max={max}
				value={wish.value[of]}
				onInput={(e) => {
					const n = Math.max(1, Math.min(max, Number(e.currentTarget.value) || 1));
					wish.value = { ...wish.value, [of]: n };
				}}
			/>
		</label>
	);
}

export function Movie() {
	const { from, to } = shownWindow.value;
	const n = momentsOf(from, to, wish.value.frames).length;
	const each = phasesOf(n, to - from, wish.value.frames);
	const p = progress.value;

	return (
		<div class="dialog movie" role="dialog" aria-label="movie of the window">
			<header>
				<h2>Movie of the window</h2>
				<button class="quiet" title="close" onClick={close}>
					<Icon name="close" />
				</button>
			</header>
			<div class="body">
				<p class="note">
					References {exact(from)} to {exact(to - 1)} of the view {shownView.value?.title}
					, as large as it is on the page: {exact(n)} moments
					{each > 1 ? `, the movement of each in ${each} frames.` : ", a frame for each."}
				</p>
				<div class="row">
					<label class="select">
						<span>format</span>
						<select
							aria-label="format"
							value={wish.value.kind}
							onChange={(e) =>
								(wish.value = {
									...wish.value,
									kind: e.currentTarget.value as MovieWish["kind"],
								})
							}
						>
							<option value="png">animated PNG, every pixel exact</option>
							<option value="webm" disabled={!canRecord()}>
								WebM video, smaller
							</option>
						</select>
					</label>
					<Field label="frames" of="frames" max={FRAMES_MAX} />
					<Field label="seconds" of="seconds" max={600} />
				</div>
			</div>
			<footer>
				{p ? (
					<>
						<progress aria-label="movie" max={p.of} value={p.done} />
						<span class="digits">
							{p.done} of {p.of}
						</span>
						<button onClick={() => p.stop.abort()}>Cancel</button>
					</>
				) : (
					<>
						<span class="grow" />
						<button class="primary" onClick={() => void make()}>
							Make
						</button>
					</>
				)}
			</footer>
		</div>
	);
}
