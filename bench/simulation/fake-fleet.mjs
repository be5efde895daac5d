import { setMaxListeners } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';

const leaseMs = 30_000;
const concurrency = 4;
const trialsPerInsertion = 1_000;

/** What a trial of a real agent leaves in its trace, give or take: text that packs about as well as speech does. */
function speech(bytes, seed) {
  let state = seed + 1;
  const words = [];
  for (let length = 0; length < bytes; ) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    const word = (state % 60_466_176).toString(36).slice(0, 2 + (state % 5));
    words.push(word);
    length += word.length + 1;
  }
  return words.join(' ');
}

/** Workers that do everything but run trials: they wait instead, and leave a trace behind. */
export class FakeFleet {
  #parts;
  #stopping = new AbortController();
  #running = [];
  #traces;
  stored = 0;
  refused = 0;
  lost = 0;
  /** Workers that gave up. */
  failed = 0;

  constructor(parts, databases, { workers, shortestMs, longestMs, traceBytes }) {
    this.#parts = parts;
    setMaxListeners(0, this.#stopping.signal);
    Object.assign(this, { databases, workers, shortestMs, longestMs });
    this.#traces = Array.from({ length: 16 }, (_, index) => speech(traceBytes, index));
  }

  /** Lets trials wait in a queue. */
  async enqueue(runId, trials) {
    const { runHeader, openWorkRun, groupOf, createGroup, enqueueTrials, settleQueues, closeWorkRun } = this.#parts;
    const [work] = this.databases;
    await work.store.createRun(runHeader(runId, { planned: trials, startedAt: Date.now() }));
    await openWorkRun(work.db, { runId, bundleId: 'none', settings: { judge: {} }, priority: 0 });
    const group = groupOf(runId, { tags: [], agents: [], env: [], protocol: 1 }, {});
    await createGroup(work, group, 3);
    for (let first = 0; first < trials; first += trialsPerInsertion) {
      const count = Math.min(trialsPerInsertion, trials - first);
      await enqueueTrials(
        work,
        group,
        Array.from({ length: count }, (_, index) => this.#queued(runId, first + index)),
      );
    }
    await settleQueues(work);
    await closeWorkRun(work.db, runId);
  }

  /** Starts all workers, spread over the time between two heartbeats. */
  async start() {
    for (let number = 0; number < this.workers; number++) {
      this.#running.push(
        this.#worker(number)
          .run()
          .catch(() => {
            this.failed++;
          }),
      );
      if (number % 10 === 9) await wait((leaseMs / 3 / this.workers) * 10);
    }
  }

  async stop() {
    this.#stopping.abort();
    await Promise.all(this.#running);
  }

  #worker(number) {
    const { TrialWorker, RecordWriter } = this.#parts;
    const facts = { workerId: `fake-${number}`, host: `host-${number}`, pid: 1, version: '0', protocol: 1 };
    let begun = 0;
    return new TrialWorker({
      work: this.databases[number % this.databases.length],
      facts: { ...facts, concurrency, tags: [], agents: [], env: ['PATH', 'HOME', 'OPENAI_API_KEY'] },
      leaseMs,
      drainMs: 0,
      signal: this.#stopping.signal,
      perform: (lease) => this.#perform(lease, begun++ < concurrency ? this.#restMs() : this.#wholeMs()),
      endRun: async () => undefined,
      openRuns: () => [],
      writeWith: (saveTrials) => new RecordWriter({ saveTrials }, () => undefined),
      settled: (_, isStored) => {
        if (isStored) this.stored++;
        else this.refused++;
      },
      log: (message) => {
        if (message.includes('has ended')) this.lost++;
      },
    });
  }

  async #perform({ group, trial }, takesMs) {
    const isOver = await wait(takesMs, true, { signal: this.#stopping.signal }).catch(() => false);
    return isOver ? this.#finished(group.runId, trial.ordinal, takesMs) : undefined;
  }

  #wholeMs() {
    return this.shortestMs + Math.random() * (this.longestMs - this.shortestMs);
  }

  /** What is left of a trial that is met at some moment in a fleet that has long been at work: long ones are met more. */
  #restMs() {
    const { shortestMs: a, longestMs: b } = this;
    return Math.sqrt(a * a + Math.random() * (b * b - a * a)) * Math.random();
  }

  #finished(runId, ordinal, durationMs) {
    const output = this.#traces[ordinal % this.#traces.length];
    const { record, trace } = this.#parts.finishedTrial(runId, ordinal, { output });
    return { record: { ...record, durationMs }, trace };
  }

  #queued(runId, at) {
    const { trialId, ordinal, scenario, file, caseId, variant, repeat } = this.#parts.finishedTrial(runId, at).record;
    return { trialId, ordinal, scenario, file, caseId, variant, repeat };
  }
}
