// Saves the picture of a view as a file.
import { message, trace } from "../state/store";
import type { View } from "../views/view";

export async function savePicture(
	view: View | null,
	name: string,
	ending: "svg" | "png",
): Promise<void> {
	if (!view) return;
	try {
		const blob =
			ending === "svg"
				? new Blob([view.exportSvg()], { type: "image/svg+xml" })
				: await view.exportPng();
		const a = document.createElement("a");

		a.href = URL.createObjectURL(blob);
		a.download = `${(trace.value?.name ?? "memlamp").replace(/\.mlt$/, "")}-${name}.${ending}`;
		a.click();
		setTimeout(() => URL.revokeObjectURL(a.href), 1000);
	} catch (e) {
		message.value = (e as Error).message;
	}
}
