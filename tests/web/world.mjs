// What browser tests stand on: traces, servers, pages. Everything is made once and kept for
// the tests that follow; pages are closed after each test.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/*
 * How long a test waits for what must happen, in ms: far longer than a slow machine needs. A
 * test that passes does not wait.
 */
export const PATIENCE = 60_000;

/** THROTTLE=6 slows Chromium six times, to see what depends on its speed. */
const THROTTLE = Number(process.env.THROTTLE ?? 0);

/** LATE=200 delays each answer and each frame by up to 200 ms, to see what depends on order. */
const LATE = Number(process.env.LATE ?? 0);

export const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";

/** Chromium as tests and benchmarks use it. */
export function launch(root) {
	const { chromium } = createRequire(join(root, "web/package.json"))(
		"playwright-core",
	);

	return chromium.launch({
		executablePath: CHROMIUM,
		args: [
			"--headless",
			"--no-sandbox",
			"--disable-gpu",
			"--disable-quic",
			"--no-first-run",
			"--disable-background-networking",
			"--disable-component-update",
			"--disable-sync",
		],
	});
}

/*
 * Counts what the page still has to do: answers that it waits for, frames that it wants to
 * draw, timers of up to half a second. Runs in the page, before its own code. Answers and
 * frames come up to `late` ms later than they would.
 */
function countWork(late) {
	const { fetch: askAtOnce, setTimeout, clearTimeout } = globalThis;
	const { requestAnimationFrame: frameAtOnce, cancelAnimationFrame } = globalThis;
	const wait = () => new Promise((yes) => setTimeout(yes, Math.random() * late));
	const fetch = late
		? (...args) => askAtOnce(...args).then((r) => wait().then(() => r))
		: askAtOnce;
	// A frame that is cancelled while it waits does not come.
	const cancelled = new Set();
	const requestAnimationFrame = late
		? (f) => {
				const id = frameAtOnce(() =>
					wait().then(
						() =>
							cancelled.delete(id) ||
							f(performance.now()),
					),
				);

				return id;
			}
		: frameAtOnce;
	const timers = new Set();
	const frames = new Set();
	let answers = 0;
	// The code that awaits an answer goes on before the next timer.
	const until = (promise) => {
		const end = () => setTimeout(() => answers--, 0);

		answers++;
		promise.then(end, end);
		return promise;
	};

	globalThis.fetch = (...args) =>
		until(
			fetch(...args).then((r) => {
				for (const read of [
					"json",
					"text",
					"arrayBuffer",
					"blob",
				]) {
					const plain = r[read].bind(r);
					r[read] = () => until(plain());
				}
				return r;
			}),
		);
	globalThis.setTimeout = (f, ms = 0, ...args) => {
		const id = setTimeout(() => {
			try {
				f(...args);
			} finally {
				timers.delete(id);
			}
		}, ms);

		if (ms <= 500) timers.add(id);
		return id;
	};
	globalThis.clearTimeout = (id) => {
		timers.delete(id);
		clearTimeout(id);
	};
	globalThis.requestAnimationFrame = (f) => {
		const id = requestAnimationFrame((now) => {
			try {
				f(now);
			} finally {
				frames.delete(id);
			}
		});

		frames.add(id);
		return id;
	};
	globalThis.cancelAnimationFrame = (id) => {
		if (late && frames.has(id)) cancelled.add(id);
		frames.delete(id);
		cancelAnimationFrame(id);
	};
	const idle = () => !answers && !timers.size && !frames.size;
	const frame = () => new Promise(frameAtOnce);
	// A new size of the window reaches the page at the end of a frame, not before.
	globalThis.rests = async () => {
		await frame();
		await frame();
		return idle();
	};
}

/** Asks a route whose answer is columns: its header and columns as plain numbers. */
export function columns(page, route, only) {
	return page.evaluate(
		async ([r, wanted]) => {
			const a = await fetch(`/api/${r}`, {
				headers: {
					"X-Memlamp-Token":
						sessionStorage.getItem("memlamp.token"),
				},
			});
			const bytes = await a.arrayBuffer();
			const long = new DataView(bytes).getUint32(4, true);
			const header = JSON.parse(
				new TextDecoder().decode(new Uint8Array(bytes, 8, long)),
			);
			const types = {
				u64: BigUint64Array,
				u32: Uint32Array,
				u16: Uint16Array,
				u8: Uint8Array,
				f32: Float32Array,
				f64: Float64Array,
			};
			const out = {};
			let from = 8 + long;
			for (const { name, type, count } of header.columns) {
				from = Math.ceil(from / 8) * 8;
				const c = new types[type](bytes, from, count);
				if (!wanted || wanted.includes(name))
					out[name] = Array.from(c, Number);
				from += c.byteLength;
			}
			return { header, ...out };
		},
		[route, only],
	);
}

export class World {
	constructor({ browser, viewport, build, root, scratch }) {
		Object.assign(this, { browser, viewport, build, root, scratch });
		this.env = {
			...process.env,
			XDG_CACHE_HOME: join(scratch, "cache"),
		};
		this.traces = new Map();
		this.texts = new Map();
		this.phases = new Map();
		this.servers = new Map();
		this.children = new Set();
		this.pages = [];
		this.faults = [];
	}

	/** Runs the program and returns what it prints. */
	memlamp(...args) {
		return execFileSync(join(this.build, "memlamp"), args, {
			cwd: this.scratch,
			encoding: "utf8",
			maxBuffer: 1 << 28,
			stdio: ["ignore", "pipe", "pipe"],
			env: this.env,
		});
	}

	/** The trace of an example program, with its source in it. */
	example(name, ...args) {
		const key = [name, ...args].join("-");

		if (!this.traces.has(key))
			this.traces.set(
				key,
				this.record(join(this.root, "examples", name), key, args),
			);
		return this.traces.get(key);
	}

	/** A key has one text, also where all files of tests run in one process. */
	oneText(key, text) {
		assert.equal(this.texts.get(key) ?? text, text, `two traces ${key}`);
		this.texts.set(key, text);
	}

	/** The trace of a program whose text is given. */
	program(key, text) {
		this.oneText(key, text);
		if (!this.traces.has(key)) {
			const source = join(this.scratch, `${key}.c`);
			writeFileSync(source, text);
			this.traces.set(key, this.record(source, key, []));
		}
		return this.traces.get(key);
	}

	record(source, key, args) {
		const program = join(this.scratch, key);
		const trace = `${program}.mlt`;

		execFileSync(source.endsWith(".c") ? "cc" : "c++", [
			"-g",
			"-O1",
			`-I${join(this.root, "include")}`,
			source,
			"-o",
			program,
			"-lm",
			"-lpthread",
		]);
		this.memlamp("record", "-o", trace, "--", program, ...args);
		return trace;
	}

	/** A trace from its text (see `memlamp import`). */
	text(key, text) {
		this.oneText(key, text);
		if (!this.traces.has(key)) {
			writeFileSync(join(this.scratch, `${key}.txt`), text);
			this.memlamp("import", "-o", `${key}.mlt`, `${key}.txt`);
			this.traces.set(key, join(this.scratch, `${key}.mlt`));
		}
		return this.traces.get(key);
	}

	/** References of a trace as `memlamp dump --json` prints them. */
	refs(trace) {
		return JSON.parse(this.memlamp("dump", "--json", trace));
	}

	/** A phase that the recorded program marked: {from, to}, as times. */
	phase(trace, name) {
		const key = `${trace} ${name}`;

		if (!this.phases.has(key)) {
			const { phases } = JSON.parse(
				this.memlamp("query", trace, "/api/traces/0"),
			);
			this.phases.set(
				key,
				phases.find((p) => p.name === name),
			);
		}
		return this.phases.get(key);
	}

	/** The address of a server of these traces; a fresh one is not shared with other tests. */
	async serve(traces, { machine = SMALL, fresh = false, port = 0 } = {}) {
		const key = [machine, ...[traces].flat()].join(" ");

		if (!fresh && this.servers.has(key)) return this.servers.get(key).address;
		const child = spawn(
			join(this.build, "memlamp"),
			[
				"view",
				...[traces].flat(),
				"--machine",
				machine,
				"--port",
				String(port),
			],
			{
				cwd: this.scratch,
				stdio: ["ignore", "pipe", "pipe"],
				env: this.env,
			},
		);
		this.children.add(child);
		const address = await new Promise((yes, no) => {
			let out = "";
			const take = (d) => {
				out += d;
				const m = out.match(
					/http:\/\/(?:127\.0\.0\.1|localhost):\d+\/\?token=\w+/,
				);
				if (m) yes(m[0]);
			};
			child.stdout.on("data", take);
			child.stderr.on("data", take);
			child.on("exit", (code) =>
				no(new Error(`memlamp view ended with ${code}: ${out}`)),
			);
		});
		const server = { address, child };
		if (!fresh) this.servers.set(key, server);
		return fresh ? server : address;
	}

	/*
	 * The visitor whom pages belong to: storage, routes, the clock. The next test has the same
	 * one, with the page in its caches, unless this test spoils it.
	 */
	visitor({ spoil = false } = {}) {
		this.spoilt ||= spoil;
		return (this.context ??= this.browser.newContext({
			viewport: this.viewport,
		}));
	}

	/*
	 * A page that is open and at rest with its simulation, unless `wait` is false. It begins at
	 * the first reference and stays at its moment when something is selected, so that tests
	 * count from there; `own` leaves both to the page. `tour`: as on a first visit.
	 */
	async page(
		address,
		{ wait = true, hash = "", size, own = false, tour = false } = {},
	) {
		const page = await (await this.visitor()).newPage();

		this.pages.push(page);
		page.setDefaultTimeout(PATIENCE);
		page.on("pageerror", (e) => this.faults.push(e));
		page.on("request", (r) => {
			const u = r.url();
			if (
				!u.startsWith(new URL(address).origin) &&
				!/^(data|blob):/.test(u)
			)
				this.faults.push(new Error(`the page asked for ${u}`));
		});
		// The tour comes on a first visit only, and each profile of a test is new.
		if (!tour)
			await page.addInitScript(
				() => (document.cookie = "memlamp.tour=seen; path=/"),
			);
		await page.addInitScript(countWork, LATE);
		if (THROTTLE) {
			const cdp = await page.context().newCDPSession(page);
			await cdp.send("Emulation.setCPUThrottlingRate", {
				rate: THROTTLE,
			});
		}
		if (size) await page.setViewportSize(size);
		await page.goto(address + (own ? hash : fromTheStart(hash)));
		if (wait) await this.ready(page);
		return page;
	}

	/*
	 * Waits until the simulation is there and drawn; without `rest` answers may be missing. (Not
	 * by waitForFunction: the page forbids eval.)
	 */
	async ready(page, rest = true) {
		await this.until("the simulation is ready", () =>
			page
				.evaluate(
					() =>
						!!globalThis.memlamp?.trace.ready.value &&
						!!globalThis.memlamp.mounted.view,
				)
				.catch(() => false),
		);
		if (rest) await this.quiet(page);
	}

	/** Waits until the page has every answer and has drawn it; for two frames of held time. */
	quiet(page) {
		if (this.held) return this.held.runFor(32);
		return this.until("the page rests", () =>
			page.evaluate(() => globalThis.rests()).catch(() => false),
		);
	}

	/** A value of the page's store, or else of the trace's. */
	value(page, name) {
		return page.evaluate(
			(n) =>
				(
					globalThis.memlamp.store[n] ??
					globalThis.memlamp.trace[n]
				).value,
			name,
		);
	}

	/** Waits until a condition of the test holds. */
	async until(what, condition, ms = PATIENCE) {
		const end = Date.now() + ms;
		let last;

		while (Date.now() < end) {
			if (this.held) await this.held.runFor(16);
			last = await condition();
			if (last) return last;
			await sleep(this.held ? 4 : 30);
		}
		assert.fail(`${what} did not happen within ${ms} ms`);
	}

	/*
	 * From here on the time of the test's pages stands still except in until(), which lets a
	 * frame of 16 ms pass before it looks: what the page does in a second does not depend on
	 * how fast the machine is.
	 */
	async holdTime(page) {
		await this.visitor({ spoil: true });
		await page.clock.install();
		await page.clock.pauseAt(
			(await page.evaluate(() => Date.now())) + 60_000,
		);
		this.held = page.clock;
	}

	/** The picture of the view, as the page exports it. */
	async svg(page) {
		await this.until("a view is mounted", () =>
			page.evaluate(() => !!globalThis.memlamp.mounted.view),
		);
		return page.evaluate(() => globalThis.memlamp.mounted.view.exportSvg());
	}

	checkPages() {
		const faults = this.faults;

		this.faults = [];
		if (faults.length) throw faults[0];
	}

	async closePages() {
		for (const p of this.pages) await p.close().catch(() => {});
		// cookies are of all servers
		await (await this.context)?.clearCookies().catch(() => {});
		if (this.spoilt) await (await this.context)?.close().catch(() => {});
		if (this.spoilt) this.context = undefined;
		this.spoilt = this.held = undefined;
		this.pages = [];
		this.faults = [];
	}

	async shoot(path) {
		await this.pages
			.at(-1)
			?.screenshot({ path })
			.catch(() => {});
	}

	stop() {
		for (const c of this.children) c.kill("SIGKILL");
	}
}

/** The hash with the moment and the option that most tests begin with. */
function fromTheStart(hash) {
	const p = new URLSearchParams(hash.replace(/^#/, ""));

	if (!p.has("at")) p.set("at", "0");
	if (!p.has("o.cursor.follow")) p.set("o.cursor.follow", "no");
	return `#${p}`;
}

/** Small enough that a matrix of 16 x 16 doubles misses. */
export const SMALL =
	"L1 1K 4w 64B lru wb wa 4c | L2 4K 8w 64B lru wb wa 14c | memory 200c";
