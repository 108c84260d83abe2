// How well a few typed words mean a phrase. Words may stand in any order, be cut short at
// any letter, lack letters within ("brn" for branches) or have a typing error.

/** Lower case, without signs; "ibs_dc_L1TlbMiss" is "ibs dc l1 tlb miss". */
export function wordsOf(text: string): string[] {
	return text
		.replace(/([a-z])([A-Z])|(\d)([A-Z])(?=[a-z])/g, "$1$3 $2$4")
		.toLowerCase()
		.split(/[^a-z0-9.]+/)
		.filter(Boolean);
}

/** Whether the letters of `short` stand in `long` in this order, the first one first. */
function isAbbreviation(short: string, long: string): boolean {
	let at = 0;

	if (short[0] !== long[0]) return false;
	for (const c of long) if (c === short[at]) at++;
	return at === short.length;
}

/** Edits that turn a into b: a letter more, less, another one, or two swapped. */
export function edits(a: string, b: string): number {
	let [before, last] = [
		new Array<number>(b.length + 1).fill(0),
		Array.from({ length: b.length + 1 }, (_, i) => i),
	];

	for (let i = 1; i <= a.length; i++) {
		const row = [i];

		for (let j = 1; j <= b.length; j++) {
			row[j] = Math.min(
				last[j]! + 1,
				row[j - 1]! + 1,
				last[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1),
			);
			if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
				row[j] = Math.min(row[j]!, before[j - 2]! + 1);
		}
		[before, last] = [last, row];
	}
	return last[b.length]!;
}

/** Whether two words differ in their ending only: miss, misses. */
function samePlural(a: string, b: string): boolean {
	const root = (w: string) =>
		w.length > 3 ? w.replace(/(?<=ss|x|ch|sh)es$|(?<!s)s$/, "") : w;

	return root(a) === root(b);
}

/** How well a typed word means a word, 0 to 1. */
export function wordScore(typed: string, word: string): number {
	if (typed === word) return 1;
	if (samePlural(typed, word)) return 0.97;
	if (word.startsWith(typed)) return 0.8 + (0.15 * typed.length) / word.length;
	// a number is itself or nothing: L1 is not L2
	if (/\d/.test(typed)) return 0;
	if (typed.length >= 3 && isAbbreviation(typed, word)) return 0.62;
	const allowed = typed.length >= 7 ? 2 : typed.length >= 4 ? 1 : 0;
	if (!allowed) return 0;
	const whole = edits(typed, word);
	if (whole <= allowed) return 0.7 - 0.08 * whole;
	// an error in a word that is not complete yet
	const begun = edits(typed, word.slice(0, typed.length));
	return word.length > typed.length && begun <= allowed ? 0.58 - 0.08 * begun : 0;
}

/*
 * How well typed words mean a phrase, 0 to about 1. Every typed word must mean a word of
 * the phrase, each another one. Phrases with few other words are better, and words in the
 * order of the phrase a little.
 */
export function phraseScore(typed: string[], phrase: string[]): number {
	const used = new Set<number>();
	let [sum, weight, inOrder, last] = [0, 0, 0, -1];

	if (!typed.length) return 0;
	for (const t of typed) {
		let [best, at] = [0, -1];

		phrase.forEach((w, i) => {
			const score = used.has(i) ? 0 : wordScore(t, w);
			if (score > best) [best, at] = [score, i];
		});
		if (at < 0) return 0;
		used.add(at);
		sum += best * t.length;
		weight += t.length;
		if (at > last) inOrder++;
		last = at;
	}
	const covered = [...used].reduce((n, i) => n + phrase[i]!.length, 0);
	const letters = phrase.reduce((n, w) => n + w.length, 0);
	return (
		0.84 * (sum / weight) + 0.13 * (covered / letters) + 0.03 * (inOrder / typed.length)
	);
}
