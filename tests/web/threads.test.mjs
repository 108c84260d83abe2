// Machines of several cores: cores without threads take no room, cores have names, a step
// shows its moment in both directions, and playing fast drops what is late.
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";

const CORES = "cores 4 | L1 1K 4w 64B 4c | L2 8K 8w shared 14c | memory 200c";

/** Two threads that write to arrays of their own and to neighbours on one line. */
const two = (w) =>
	w.program(
		"two-threads",
		`#include <pthread.h>
		static double a[256], b[256];
		static long count[2];

		static void *work(void *p)
		{
			long n = (long)p;
			double *m = n ? b : a;

			for (int k = 0; k < 4; k++)
				for (int i = 0; i < 256; i++) {
					m[i] += k;
					count[n]++;
				}
			return 0;
		}

		int main(void)
		{
			pthread_t t;

			pthread_create(&t, 0, work, (void *)1);
			work(0);
			return pthread_join(t, 0);
		}`,
	);

async function open(w, hash) {
	return w.page(await w.serve(two(w), { machine: CORES }), { hash });
}

const still = (page) =>
	page.evaluate(() => globalThis.memlamp.mounted.view?.still()?.shown);

/** Texts of the picture that name cores. */
async function cores(w, page) {
	const svg = await w.svg(page);

	return [...svg.matchAll(/>(core \d+)</g)].map((m) => m[1]);
}

export const tests = {
	"cores that run no thread take no room, and cores have names": async (w) => {
		const page = await open(w, "#view=cache");

		for (const view of ["cache", "regions"]) {
			await page.evaluate(
				(v) => (globalThis.memlamp.store.view.value = v),
				view,
			);
			const names = await w.until(`${view} names cores`, async () => {
				const list = await cores(w, page);
				return list.length > 0 && list;
			});
			assert.deepEqual(new Set(names), new Set(["core 0", "core 1"]));
		}
	},

	"a step with several cores shows its moment, forwards and backwards": async (
		w,
	) => {
		const page = await open(w, "#view=rings");
		const end = await w.value(page, "length");
		const at = Math.floor(end * 0.9); // both threads are at work
		const seen = [];

		await page.evaluate((t) => globalThis.memlamp.trace.setCursor(t), at);
		const picture = async () => {
			const t = await w.value(page, "cursor");
			await w.until(
				`the rings show ${t}`,
				async () => (await still(page)) === t,
			);
			return page.evaluate(() => {
				const { after } = globalThis.memlamp.mounted.view.of;
				return after.line.join();
			});
		};
		const step = async (key) => {
			const before = await w.value(page, "cursor");
			await page.keyboard.press(key);
			await w.until(
				"the cursor moved",
				async () => (await w.value(page, "cursor")) !== before,
			);
		};
		for (let i = 0; i < 5; i++) {
			await step("n"); // to the next miss
			seen.push(await picture());
		}
		assert.equal(new Set(seen).size, 5, "a miss moves lines");
		for (let i = 3; i >= 0; i--) {
			await step("p");
			assert.equal(await picture(), seen[i]);
		}
	},

	"playing fast drops what is late: one question at a time, and the last moment is shown":
		async (w) => {
			const page = await open(w, "#view=rings&at=0");
			const asked = [];
			let [now, most] = [0, 0];

			await w.until(
				"it is drawn",
				async () => (await still(page)) === 0,
			);
			await page.route("**/state?*", async (route) => {
				const url = new URL(route.request().url());
				asked.push(Number(url.searchParams.get("at")));
				most = Math.max(most, ++now);
				const answer = await route.fetch();
				await sleep(120);
				now--;
				await route.fulfill({ response: answer }).catch(() => {});
			});
			await page.evaluate(() => {
				const { trace } = globalThis.memlamp;
				trace.setSpeed(trace.length.value); // a second for the run
				trace.playing.value = true;
			});
			await w.until(
				"it has ended",
				async () => !(await w.value(page, "playing")),
			);
			const last = await w.value(page, "cursor");
			assert.equal(last, (await w.value(page, "length")) - 1);
			await w.until(
				"the last moment is shown",
				async () => (await still(page)) === last,
			);
			assert.equal(most, 1);
			assert.ok(asked.length > 1);
			assert.deepEqual(
				asked,
				[...asked].sort((a, b) => a - b),
				"it never goes back to a moment that is late",
			);
		},
};
