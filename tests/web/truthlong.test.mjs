// The claim of truth.test.mjs about cells and counts, in a long run.
import { checkAll, openRun } from "./sums.mjs";

export const tests = {
	"cells of every view add up to the counts, in 70 million references of 8 threads":
		async (w) => {
			const page = await openRun(w, 70, 8);

			for (const selection of [{}, { file: 0, line: 1 }])
				await checkAll(w, page, selection);
		},
};
