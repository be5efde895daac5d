import { AssayError } from '../../domain/errors.ts';
import type { controlActions, RunHeader } from '../../domain/run.ts';
import type { WorkDatabase } from '../../keep/distribution/work-database.ts';
import type { Store } from '../../keep/store/store.ts';
import { counted } from '../../shared/format.ts';

/** A change of a live run. */
export interface ControlWish {
  readonly action: (typeof controlActions)[number];
  /** With `set`. */
  readonly concurrency?: number | undefined;
  /** With `set`. */
  readonly maxUsd?: number | undefined;
  /** With `requeue`: ids of trials; none for all that ended in an error. */
  readonly trials?: readonly string[] | undefined;
}

interface ControlPlaces {
  readonly store: Store;
  /** Undefined where the store cannot be shared with workers. */
  readonly openWork?: (() => Promise<WorkDatabase>) | undefined;
}

/** Changes a live run, whichever process or workers run it; says what was done. */
export async function controlRun(run: RunHeader, wish: ControlWish, places: ControlPlaces): Promise<string> {
  const { runId } = run;
  const { store } = places;
  assertFitting(wish);
  if (!(await store.findHolder(runId))) throw notLive(runId);
  const work = await sharedWork(runId, places);
  switch (wish.action) {
    case 'pause':
      return (await store.pauseRun(runId))
        ? `${runId} is paused: running trials end, and none begins.`
        : `${runId} was paused already.`;
    case 'continue':
      return (await store.continueRun(runId)) ? `${runId} goes on.` : `${runId} was not paused.`;
    case 'set':
      return retune(runId, wish, store, work);
    case 'requeue':
      return requeue(runId, wish.trials ?? [], store, work);
  }
}

function assertFitting({ action, concurrency, maxUsd, trials = [] }: ControlWish): void {
  const hasSettings = concurrency !== undefined || maxUsd !== undefined;
  if (action === 'set' && !hasSettings)
    throw new AssayError('USAGE', '`set` changes nothing.', { hint: 'Give a concurrency or a spending limit.' });
  if (action !== 'set' && hasSettings)
    throw new AssayError('USAGE', `\`${action}\` takes no settings.`, { hint: 'Change settings with `set`.' });
  if (action !== 'requeue' && trials.length > 0) throw new AssayError('USAGE', `\`${action}\` takes no trials.`);
}

function notLive(runId: string): AssayError {
  return new AssayError('USAGE', `${runId} is not running.`, {
    hint: `Continue an interrupted run with \`assay run --resume ${runId}\`; --retry-errors runs its errors again.`,
  });
}

/** The database of the workers, where they run the run. */
async function sharedWork(runId: string, { openWork }: ControlPlaces): Promise<WorkDatabase | undefined> {
  const work = await openWork?.();
  if (!work) return undefined;
  const { findWorkRun } = await import('../../keep/distribution/work-runs.ts');
  const shared = await findWorkRun(work.db, runId);
  return shared && !shared.isEnded ? work : undefined;
}

async function retune(
  runId: string,
  { concurrency, maxUsd }: ControlWish,
  store: Store,
  work: WorkDatabase | undefined,
): Promise<string> {
  if (maxUsd !== undefined && ((await store.readControls(runId))?.maxUsd ?? null) === null) {
    throw new AssayError('USAGE', `${runId} has no spending limit that could be changed.`, {
      hint: work
        ? 'Cancel it instead: runs on workers have no limit.'
        : 'Start runs with --max-usd to limit their spending.',
    });
  }
  if (work && concurrency !== undefined) {
    const { limitWorkRun } = await import('../../keep/distribution/work-runs.ts');
    await limitWorkRun(work.db, runId, concurrency);
  }
  await store.changeControls(runId, { concurrency, maxUsd });
  const changes = [
    ...(concurrency === undefined ? [] : [`at most ${counted(concurrency, 'trial')} at a time`]),
    ...(maxUsd === undefined ? [] : [`a spending limit of $${maxUsd}`]),
  ];
  return `${runId} now has ${changes.join(' and ')}.`;
}

async function requeue(
  runId: string,
  trials: readonly string[],
  store: Store,
  work: WorkDatabase | undefined,
): Promise<string> {
  const chosen: string[] = [];
  for (const id of trials) chosen.push(await erroneous(runId, id, store));
  const wanted = chosen.length === 0 ? undefined : chosen;
  const count = work
    ? await (await import('../../keep/distribution/work-runs.ts')).requeueErrors(work, runId, wanted)
    : await store.setAsideErrors(runId, wanted);
  if (count === undefined) throw notLive(runId);
  if (count === 0) return `${runId} has no trial that ended in an error.`;
  if (!(await store.findHolder(runId))) {
    return `${counted(count, 'trial')} set aside, but ${runId} has ended meanwhile: run them with \`assay run --resume ${runId}\`.`;
  }
  return `${counted(count, 'trial')} of ${runId} will run again.`;
}

/** A verdict is evidence and stays: running a trial again until it passes would be choosing the result. */
async function erroneous(runId: string, id: string, store: Store): Promise<string> {
  const record = await store.findTrial(id);
  if (record?.runId !== runId) throw new AssayError('NOT_FOUND', `${runId} has no finished trial "${id}".`);
  if (record.outcome === 'error') return record.trialId;
  throw new AssayError('USAGE', `${record.trialId} has a verdict (${record.outcome}) and stays as it is.`, {
    hint: 'Start a new run for it; only trials that could not be judged run again.',
  });
}
