import type { RunHeader, RunScenario } from '../../domain/run.ts';
import type { SpanSpool } from '../../keep/spool/span-spool.ts';
import { RunLease } from '../../keep/store/run-lease.ts';
import type { Store } from '../../keep/store/store.ts';
import { newRunId } from '../../shared/ids.ts';
import { version } from '../program.ts';

/** Where the judged trial of a trace is put; kept before it is put there. */
export interface JudgedPlace {
  readonly runId: string;
  readonly ordinal: number;
}

/** The part of a rule that its runs depend on. */
export interface RuleOfRuns {
  readonly name: string;
  readonly every: 'hour' | 'day';
  /** Of all that can change a verdict: another one begins another run. */
  readonly contentHash: string;
  readonly scenarios: readonly RunScenario[];
}

interface RuleRunState {
  readonly runId: string;
  readonly period: string;
  readonly startedAt: number;
  readonly contentHash: string;
  readonly trials: number;
}

interface NewPlaces {
  readonly places: readonly JudgedPlace[];
  readonly fact: readonly [name: string, value: string];
  /** To be called when the fact is durable. */
  onKept(): void;
}

/** A run with more trials would be slow to read as a whole; the next one begins. */
const mostTrials = 100_000;

/** The runs of one rule, one for each hour or day. Its state is in the spool, so a restart goes on with its run. */
export class RuleRuns implements AsyncDisposable {
  readonly #rule: RuleOfRuns;
  readonly #store: Store;
  readonly #spool: SpanSpool;
  #state: RuleRunState | undefined;
  #lease: RunLease | undefined;
  #reportedTrials = -1;

  constructor(rule: RuleOfRuns, store: Store, spool: SpanSpool) {
    this.#rule = rule;
    this.#store = store;
    this.#spool = spool;
    const kept = spool.fact(this.#fact);
    if (kept !== undefined) this.#state = JSON.parse(kept) as RuleRunState;
  }

  /** The places of further trials, in the run of this time, and the fact that is to be kept with them. */
  async places(count: number, now: number): Promise<NewPlaces> {
    await this.#open(now);
    const state = this.#required();
    const places = Array.from({ length: count }, (_, index) => ({
      runId: state.runId,
      ordinal: state.trials + index,
    }));
    const next = { ...state, trials: state.trials + count };
    return {
      places,
      fact: [this.#fact, JSON.stringify(next)],
      onKept: () => {
        this.#state = next;
      },
    };
  }

  /** Takes up the run that trials were given places in before a crash. */
  async resume(): Promise<void> {
    if (!this.#lease && this.#state) await this.#take(this.#state);
  }

  /** Keeps how many trials the run has by now. */
  async report(): Promise<void> {
    if (!this.#state || !this.#lease || this.#state.trials === this.#reportedTrials) return;
    this.#reportedTrials = this.#state.trials;
    const scenarios = this.#rule.scenarios.map((scenario) => ({ ...scenario, caseCount: this.#reportedTrials }));
    await this.#store.growRun(this.#state.runId, this.#reportedTrials, scenarios);
  }

  /** Ends a run whose time is over; true where one ended. */
  async endIfOver(now: number): Promise<boolean> {
    if (!this.#lease || this.#state?.period === this.#periodOf(now)) return false;
    await this.#finish(now);
    return true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#finish(Date.now());
  }

  get #fact(): string {
    return `rule ${this.#rule.name}`;
  }

  #periodOf(now: number): string {
    return new Date(now).toISOString().slice(0, this.#rule.every === 'day' ? 10 : 13);
  }

  async #open(now: number): Promise<void> {
    const state = this.#state;
    const period = this.#periodOf(now);
    const isCurrent =
      state?.period === period && state.contentHash === this.#rule.contentHash && state.trials < mostTrials;
    if (isCurrent && this.#lease) return;
    if (state && !isCurrent) {
      // A run that a crash left open is finished as well.
      await this.resume();
      await this.#finish(now);
    }
    const next: RuleRunState =
      isCurrent && state
        ? state
        : { runId: newRunId(new Date(now)), period, startedAt: now, contentHash: this.#rule.contentHash, trials: 0 };
    await this.#spool.judgements.change(({ setFact }) => setFact(this.#fact, JSON.stringify(next)));
    this.#state = next;
    await this.#take(next);
  }

  async #take(state: RuleRunState): Promise<void> {
    await this.#store.createRun(this.#header(state));
    this.#lease = await RunLease.take(state.runId, this.#store, { signal: new AbortController().signal });
    this.#reportedTrials = -1;
  }

  async #finish(now: number): Promise<void> {
    const lease = this.#lease;
    if (!lease) return;
    await this.report();
    this.#lease = undefined;
    await lease.end('finished', now);
  }

  #header({ runId, startedAt, period, trials }: RuleRunState): RunHeader {
    const { name: rule, scenarios } = this.#rule;
    return {
      runId,
      startedAt,
      finishedAt: null,
      status: 'running',
      planned: trials,
      assayVersion: version,
      request: {
        paths: [...new Set(scenarios.map(({ file }) => file))],
        origin: { kind: 'rule', rule, period },
        name: `${rule} ${period.replace('T', ' ')}`,
      },
      scenarios: [...scenarios],
    };
  }

  #required(): RuleRunState {
    if (!this.#state) throw new Error('No run is open.');
    return this.#state;
  }
}
