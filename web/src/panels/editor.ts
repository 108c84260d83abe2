// The link that opens a line in the person's editor: a template kept in this browser.
import { signal } from "@preact/signals";
import { keep, kept } from "../state/kept";

const KEY = "memlamp.editor";
export const templates: [name: string, template: string][] = [
	["VS Code", "vscode://file/{path}:{line}"],
	["VSCodium", "vscodium://file/{path}:{line}"],
	["JetBrains", "jetbrains://idea/navigate/reference?path={path}:{line}"],
	["Zed", "zed://file/{path}:{line}"],
	["Emacs", "org-protocol://open-file?url=file://{path}&line={line}"],
	["TextMate", "txmt://open?url=file://{path}&line={line}"],
];

export const template = signal(kept(KEY) ?? templates[0]![1]);

export function setTemplate(text: string): void {
	template.value = text;
	keep(KEY, text);
}

export function editorLink(path: string, line: number): string {
	return template.value
		.replace("{path}", encodeURI(path))
		.replace("{line}", String(line));
}
