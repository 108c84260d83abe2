// Scores of the cache temperature as the person set them: "temperature.scores" of the options.
import { scoreParams, type Scores } from "../model/temperature";
import { option } from "../../../state/store";
import { ready } from "./store";

/** Levels of caches of the simulation. */
export function cacheLevels(): number {
	return ready.value?.levels.filter((l) => l.kind === "cache").length ?? 0;
}

export function scores(): Scores {
	return scoreParams(option("temperature.scores", ""), cacheLevels());
}
