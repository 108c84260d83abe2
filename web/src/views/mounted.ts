// The views that are mounted, for export, movies and tests: `view` is the one on the stage;
// a pane of a kind adds its own (the timeline).
import type { View } from "./view";

export const mounted: Record<string, View | null> = { view: null };
