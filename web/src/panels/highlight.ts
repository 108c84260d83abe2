// Source text in colours, a block of lines at a time: only blocks on the screen are
// highlighted. model/lexer.ts knows in which state each line begins.
import "./prism";
import Prism from "prismjs/components/prism-core";
import "prismjs/components/prism-clike";
import "prismjs/components/prism-c";
import "prismjs/components/prism-cpp";
import "prismjs/components/prism-fortran";
import "prismjs/components/prism-python";
import "prismjs/components/prism-rust";
import "prismjs/components/prism-go";
import "prismjs/components/prism-java";
import {
	languageOf,
	lineStates,
	statePrefix,
	type Language,
	type LineState,
} from "../model/lexer";

export interface Span {
	text: string;
	type: string; // class of Prism; "" is plain
}

type Token = string | { type: string; content: Token | Token[] };

const BLOCK = 50; // lines

export class SourceText {
	readonly lines: string[];
	readonly longest: number; // in columns, tabs expanded
	private readonly language: Language;
	private readonly states: Uint8Array;
	private readonly blocks = new Map<number, Span[][]>();

	constructor(text: string, path: string) {
		this.lines = text.split(/\r\n|\n/);
		if (this.lines.at(-1) === "") this.lines.pop();
		this.language = languageOf(path);
		this.states = lineStates(this.lines, this.language);
		this.longest = this.lines.reduce((n, l) => Math.max(n, columns(l)), 0);
	}

	/** The spans of line n, from 1. */
	spans(n: number): Span[] {
		const block = Math.floor((n - 1) / BLOCK);
		let known = this.blocks.get(block);

		if (!known) {
			if (this.blocks.size > 100) this.blocks.clear();
			known = this.highlight(
				block * BLOCK,
				Math.min(this.lines.length, (block + 1) * BLOCK),
			);
			this.blocks.set(block, known);
		}
		return known[(n - 1) % BLOCK] ?? [];
	}

	private highlight(from: number, to: number): Span[][] {
		const grammar = Prism.languages[this.language];

		if (!grammar) return this.lines.slice(from, to).map((text) => [{ text, type: "" }]);
		// A block that begins inside a continued directive starts with the directive's first
		// line.
		let start = from;
		while (start > 0 && from - start < 50 && this.lines[start - 1]!.endsWith("\\"))
			start--;
		const before = statePrefix[this.states[start] as LineState];
		const text = before + this.lines.slice(start, to).join("\n");
		const rows: Span[][] = [[]];
		const walk = (token: Token | Token[], type: string): void => {
			if (Array.isArray(token)) {
				for (const t of token) walk(t, type);
			} else if (typeof token !== "string") {
				walk(token.content, token.type);
			} else {
				token.split("\n").forEach((part, i) => {
					if (i) rows.push([]);
					if (part) rows.at(-1)!.push({ text: part, type });
				});
			}
		};

		walk(Prism.tokenize(text, grammar) as Token[], "");
		const first = rows[0]?.[0];
		if (before && first) first.text = first.text.slice(before.length);
		return rows.slice(from - start);
	}
}

function columns(line: string): number {
	let n = 0;

	for (let i = 0; i < line.length; i++) n = line[i] === "\t" ? (n & ~3) + 4 : n + 1;
	return n;
}
