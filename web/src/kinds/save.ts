// Saves the picture of a view, or its numbers, as a file named after the document.
import { message } from "../state/store";
import type { View } from "../views/view";
import { activeDocument } from "./documents";

export async function savePicture(
	view: View | null | undefined,
	name: string,
	ending: "svg" | "png",
): Promise<void> {
	if (!view) return;
	try {
		const blob =
			ending === "svg"
				? new Blob([view.exportSvg()], { type: "image/svg+xml" })
				: await view.exportPng();
		save(blob, name, ending);
	} catch (e) {
		message.value = (e as Error).message;
	}
}

/** Saves the numbers of a view's picture. */
export function saveText(
	view: View | null | undefined,
	name: string,
	ending: "csv" | "json",
): void {
	const text = view?.exportText?.(ending);

	if (text)
		save(
			new Blob([text], { type: ending === "csv" ? "text/csv" : "application/json" }),
			name,
			ending,
		);
}

export function save(blob: Blob, name: string, ending: string): void {
	const of = activeDocument.value?.name ?? "memlamp";
	const a = document.createElement("a");

	a.href = URL.createObjectURL(blob);
	a.download = `${of.replace(/\.\w+$/, "")}-${name}.${ending}`;
	a.click();
	setTimeout(() => URL.revokeObjectURL(a.href), 1000);
}
