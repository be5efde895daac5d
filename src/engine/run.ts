import type { RunHeader, RunSummary } from '../domain/run.ts';
import type { Scenario } from '../domain/scenario.ts';
import type { Trial } from '../domain/trial.ts';
import { RunLease } from '../keep/store/run-lease.ts';
import type { Store } from '../keep/store/store.ts';
import { LiveControls } from './live-controls.ts';
import { plan } from './plan.ts';
import { withoutStored } from './resume.ts';
import { RunPins } from './run-pins.ts';
import { type MissingTrials, type RunControl, storeTrials } from './store-trials.ts';
import { type TrialParts, trialsWith } from './try-trial.ts';

/** Which trials of the plan run, where that depends on how earlier ones ended. */
export interface Rounds {
  /** To be called when all trials so far are stored; undefined when no further round is to run. */
  next(): Promise<Round | undefined>;
  /** The run as it is known now: with the rounds so far. */
  described(header: RunHeader): RunHeader;
}

export interface Round {
  /** Trials of this round and of all before it. */
  readonly planned: number;
  includes(trial: Trial): boolean;
}

/** The parts of a run: those of its trials, and the store for their records. */
export interface EngineParts extends TrialParts {
  readonly store: Store;
}

/**
 * Runs every trial of the plan that the store does not have yet, while no other process does, and leaves the verdicts
 * in the store. This is the
 * contents page of the system: plan what is missing; execute, evaluate and record each trial (`try-trial.ts`); store.
 */
export async function run(
  header: RunHeader,
  scenarios: readonly Scenario[],
  parts: EngineParts,
  control: RunControl & { readonly retriesErrors?: boolean | undefined; readonly rounds?: Rounds | undefined },
): Promise<RunSummary> {
  const { store, takeWaits, setBudget } = parts;
  const { runId } = header;
  await using lease = await RunLease.take(runId, store, control);
  if (control.retriesErrors) await store.setAsideErrors(runId);
  const held = { ...control, signal: lease.signal };
  using live = await LiveControls.open({ ...held, runId, store, setBudget });
  await using hooks = await parts.openHooks?.(header, lease);
  await hooks?.beforeRun();
  const { rounds } = control;
  let round = await rounds?.next();
  const trials = () => withoutStored(inRound(plan(runId, scenarios), round), header, store, lease.signal);
  const requeued = async (): Promise<MissingTrials<Trial>['missing'] | undefined> => {
    if (lease.signal.aborted || !(await live.takeRequeue())) return undefined;
    const { alreadyStored, missing } = await trials();
    control.emit({ type: 'trials-requeued', count: (round?.planned ?? header.planned) - alreadyStored });
    return missing;
  };
  const further = async (): Promise<MissingTrials<Trial>['missing'] | undefined> => {
    const again = await requeued();
    if (again || !rounds || lease.signal.aborted) return again;
    round = await rounds.next();
    return round && (await trials()).missing;
  };
  const described = rounds && ((of: RunHeader) => rounds.described(of));
  const storing = { store, lease, control: held, takeWaits, live, hooks, described };
  const pins = new RunPins(runId, store);
  return await storeTrials(header, await trials(), storing, trialsWith(parts, { ...held, hooks, pins }), further);
}

function inRound(trials: AsyncIterable<Trial>, round: Round | undefined): AsyncIterable<Trial> {
  return round ? included(trials, round) : trials;
}

async function* included(trials: AsyncIterable<Trial>, round: Round): AsyncGenerator<Trial, void> {
  for await (const trial of trials) if (round.includes(trial)) yield trial;
}
