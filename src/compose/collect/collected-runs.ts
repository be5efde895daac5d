import type { RunHeader, RunScenario } from '../../domain/run.ts';
import type { PlacingSpool, SpanSpool } from '../../keep/spool/span-spool.ts';
import { RunLease } from '../../keep/store/run-lease.ts';
import type { Store } from '../../keep/store/store.ts';
import { importRequest } from '../../load/imports/import-run.ts';
import { newRunId } from '../../shared/ids.ts';
import { version } from '../program.ts';

/** Where the trial of a trace is put; kept in the spool before it is put there, so it is put there once. */
export interface TrialPlace {
  readonly runId: string;
  readonly ordinal: number;
  readonly scenario: string;
  readonly caseId: string;
  readonly repeat: number;
}

interface ScenarioState {
  readonly name: string;
  trials: number;
  repeat: number;
}

interface RunState {
  readonly runId: string;
  readonly period: string;
  readonly startedAt: number;
  readonly scenarios: ScenarioState[];
}

/** The path that traces are sent to stands for the file that imported trials are from. */
export const collectedFile = '/v1/traces';

/** A run with more trials would be slow to read as a whole; the next one begins. */
const mostTrials = 100_000;
const mostScenarios = 500;
const otherScenarios = 'other services';

/** The run that collected trials are put into: one for each hour or day. */
export class CollectedRuns implements AsyncDisposable {
  readonly #store: Store;
  readonly #spool: SpanSpool;
  readonly #every: 'hour' | 'day';
  #state: RunState | undefined;
  #lease: RunLease | undefined;
  #reportedTrials = -1;

  constructor(store: Store, spool: SpanSpool, every: 'hour' | 'day') {
    this.#store = store;
    this.#spool = spool;
    this.#every = every;
    const kept = spool.fact(runFact);
    if (kept !== undefined) this.#state = JSON.parse(kept) as RunState;
  }

  /** Begins or goes on with the run of this time. */
  async open(now: number): Promise<void> {
    const period = new Date(now).toISOString().slice(0, this.#every === 'day' ? 10 : 13);
    const isCurrent = this.#state?.period === period && trialsOf(this.#state) < mostTrials;
    if (isCurrent && this.#lease) return;
    if (!isCurrent) {
      await this.#finish(now);
      const startedAt = new Date(now);
      const state: RunState = { runId: newRunId(startedAt), period, startedAt: now, scenarios: [] };
      await this.#spool.place((spool) => {
        spool.forgetCounters();
        spool.setFact(runFact, JSON.stringify(state));
      });
      this.#state = state;
    }
    const state = this.#required();
    await this.#store.createRun(headerOf(state));
    this.#lease = await RunLease.take(state.runId, this.#store, { signal: new AbortController().signal });
    this.#reportedTrials = -1;
  }

  /** Gives trials their places, in one change of the spool. */
  place(
    trials: readonly {
      readonly traceNo: number;
      readonly scenario: string;
      readonly caseId: string;
      readonly key: string;
      readonly repeat: number | undefined;
    }[],
  ): Promise<TrialPlace[]> {
    const next = structuredClone(this.#required());
    return this.#spool
      .place((spool) => {
        const places = trials.map((trial) => this.#placeOf(trial, next, spool));
        for (const [index, { traceNo }] of trials.entries()) spool.setPlace(traceNo, JSON.stringify(places[index]));
        spool.setFact(runFact, JSON.stringify(next));
        return places;
      })
      .then((places) => {
        this.#state = next;
        return places;
      });
  }

  /** Keeps how many trials the run has by now. */
  async report(): Promise<void> {
    const state = this.#state;
    if (!state || !this.#lease || trialsOf(state) === this.#reportedTrials) return;
    this.#reportedTrials = trialsOf(state);
    await this.#store.growRun(state.runId, this.#reportedTrials, scenariosOf(state));
  }

  /** The run that goes on, which is not to be removed. */
  get runId(): string | undefined {
    return this.#state?.runId;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#finish(Date.now());
  }

  async #finish(now: number): Promise<void> {
    const lease = this.#lease;
    if (!lease) return;
    await this.report();
    this.#lease = undefined;
    await lease.end('finished', now);
  }

  #placeOf(
    { scenario: named, caseId, key, repeat: wanted }: Parameters<CollectedRuns['place']>[0][number],
    { runId, scenarios }: RunState,
    spool: PlacingSpool,
  ): TrialPlace {
    const isNew = !scenarios.some(({ name }) => name === named);
    const name = isNew && scenarios.length >= mostScenarios ? otherScenarios : named;
    let index = scenarios.findIndex((each) => each.name === name);
    if (index === -1) index = scenarios.push({ name, trials: 0, repeat: 1 }) - 1;
    const scenario = scenarios[index] as ScenarioState;
    const counted = key === '' ? 1 : spool.next(`repeat ${key}`);
    const repeat = Math.max(counted, wanted ?? 1);
    scenario.repeat = Math.max(scenario.repeat, repeat);
    // Trials of one scenario lie side by side in a run.
    const ordinal = index * mostTrials + scenario.trials++;
    return { runId, ordinal, scenario: name, caseId, repeat };
  }

  #required(): RunState {
    if (!this.#state) throw new Error('No run is open.');
    return this.#state;
  }
}

const runFact = 'run';

function trialsOf({ scenarios }: RunState): number {
  return scenarios.reduce((sum, { trials }) => sum + trials, 0);
}

function scenariosOf({ scenarios }: RunState): RunScenario[] {
  const unknown = { contentHash: '', isAgentDriven: false, isConversation: false, serverPart: null };
  return scenarios.map(({ name, trials, repeat }) => ({
    name,
    file: collectedFile,
    caseCount: trials,
    repeat,
    ...unknown,
  }));
}

function headerOf(state: RunState): RunHeader {
  const request = importRequest([collectedFile], [], `collected ${state.period.replace('T', ' ')}`);
  return {
    runId: state.runId,
    startedAt: state.startedAt,
    finishedAt: null,
    status: 'running',
    planned: trialsOf(state),
    assayVersion: version,
    request: { ...request, origin: { kind: 'import', file: collectedFile, format: 'otlp', isCollected: true } },
    scenarios: scenariosOf(state),
  };
}
