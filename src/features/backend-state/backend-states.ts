import { AssayError } from '../../domain/errors.ts';
import type { Trace, TraceEvent } from '../../domain/trace.ts';
import type { Trial } from '../../domain/trial.ts';
import type { PreparedWork } from '../../drive/targets/target.ts';
import type { Execution } from '../../engine/execution.ts';
import type { RunPlace } from '../../engine/feature.ts';
import type { RunFeature } from '../../engine/run-feature.ts';
import { keyOfState, nameOfState } from '../../score/evaluators/assertions/state/state-config.ts';
import { differenceOf, IncomparableState } from './difference.ts';
import { readState, type Snapshot, type StatePlace } from './read-state.ts';
import { type StateConfig, statesIn } from './states.ts';

/** A state as it was before the trial. */
interface Watched {
  readonly state: StateConfig;
  readonly before: Snapshot;
}

/** Takes the states of a trial before its target begins and after it has ended, and adds the differences to the trace. */
export class BackendStates implements RunFeature {
  readonly #place: Pick<RunPlace, 'env' | 'program' | 'signal'>;
  readonly #watched = new WeakMap<Trial, readonly Watched[]>();

  constructor({ env, program, signal }: Pick<RunPlace, 'env' | 'program' | 'signal'>) {
    this.#place = { env, program, signal };
  }

  async prepared(trial: Trial, work: PreparedWork | undefined, signal: AbortSignal): Promise<void> {
    const watched: Watched[] = [];
    for (const [, state] of distinct(statesIn(trial.case.evaluators))) {
      watched.push({ state, before: await this.#before(trial, state, work, signal) });
    }
    if (watched.length > 0) this.#watched.set(trial, watched);
  }

  check(trial: Trial, execution: Execution): Execution | Promise<Execution> {
    const watched = this.#watched.get(trial);
    if (!watched || execution.fault) return execution;
    this.#watched.delete(trial);
    return this.#compared(trial, execution, watched);
  }

  async #before(trial: Trial, state: StateConfig, work: PreparedWork | undefined, signal: AbortSignal) {
    try {
      return await readState(state, { ...this.#placeOf(trial, signal), work });
    } catch (error) {
      const message = `The state of ${nameOfState(state)} could not be read before the trial: ${reasonOf(error)}`;
      throw new AssayError('STATE_UNREADABLE', message, { cause: error });
    }
  }

  async #compared(trial: Trial, execution: Execution, watched: readonly Watched[]): Promise<Execution> {
    const { workspace, trace } = execution;
    const work = workspace && {
      directory: workspace.directory,
      run: workspace.runGrader.bind(workspace),
    };
    const place: StatePlace = { ...this.#placeOf(trial, this.#place.signal), work };
    const events: TraceEvent[] = [];
    for (const { state, before } of watched) events.push(...(await compared(state, before, place, endOf(trace))));
    return { ...execution, trace: [...trace, ...events] };
  }

  #placeOf({ scenario }: Trial, signal: AbortSignal): StatePlace {
    const { env, program } = this.#place;
    return { directory: scenario.directory, env, program, signal, work: undefined };
  }
}

/** The difference as an event; a loss in its channel says why there is none, and the engine refuses to judge by it. */
async function compared(state: StateConfig, before: Snapshot, place: StatePlace, at: number): Promise<TraceEvent[]> {
  const stamp = { at, seenBy: 'engine' } as const;
  const found = { state: nameOfState(state), key: keyOfState(state) };
  try {
    const after = await readState(state, place);
    return [{ type: 'state-change', ...stamp, ...found, ...differenceOf(state, before, after) }];
  } catch (error) {
    const verb = error instanceof IncomparableState ? 'compared' : 'read after the trial';
    const reason = `the state of ${found.state} could not be ${verb}: ${reasonOf(error)}`;
    return [{ type: 'gap', ...stamp, channels: ['state'], reason }];
  }
}

function endOf(trace: Trace): number {
  return trace.at(-1)?.at ?? 0;
}

function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.replace(/\.$/, '');
}

function distinct(states: readonly StateConfig[]): ReadonlyMap<string, StateConfig> {
  return new Map(states.map((state) => [keyOfState(state), state]));
}
