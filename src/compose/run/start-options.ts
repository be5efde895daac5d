import { assertOptions, assertSameOptions } from '../../domain/assert-options.ts';
import { configuredOptions, keptOptions, type RunOptions } from '../../domain/option-values.ts';
import type { RunHeader, RunRequest } from '../../domain/run.ts';
import type { Way } from '../../domain/run-options/run-option.ts';
import type { StartOptions, StartPlace } from '../../engine/feature.ts';
import { features } from '../../features/index.ts';
import { requireRun, type Store } from '../../keep/store/store.ts';
import type { Project } from '../config/project.ts';
import { budgetIn } from './cost-limits.ts';

/** The part of them that chooses scenarios and says how they are read. */
export type SelectedBy = Omit<StartOptions, 'experiment' | 'origin' | 'improvement'>;

interface StartContext extends Pick<StartPlace, 'withStore'> {
  readonly project: Project;
}

/** The options of a new run, whatever way they came: with those of the earlier run or the eval that they name. */
export async function startOptions(
  given: RunOptions,
  way: Way,
  { project, withStore }: StartContext,
): Promise<StartOptions> {
  assertOptions(given, way);
  let options: StartOptions = given;
  for (const { complete } of features) options = (await complete?.(options, { project, withStore })) ?? options;
  return options;
}

/** The part of some options that a run keeps. */
export function keptRequest(options: StartOptions, { config }: Project): RunRequest {
  const { paths = config.scenarios, origin = null, scenarios, only, improvement } = options;
  const chosen = Object.entries({ scenarios, only, improvement }).filter(([, value]) => value !== undefined);
  return { ...keptOptions(options, 'resume'), ...Object.fromEntries(chosen), paths, origin };
}

/** The request of a new run: its options, and those that only the config gives. */
export function newRequest(options: StartOptions, project: Project): RunRequest {
  return { ...configuredOptions(options, project.config), ...keptRequest(options, project) };
}

/** A run that goes on, with its open store. */
export interface ResumedRun {
  readonly header: RunHeader;
  readonly store: Store;
}

/** The options in effect: those of the run that is resumed, and the spending limit of the environment. */
export async function optionsInEffect(
  options: StartOptions,
  env: Readonly<Record<string, string | undefined>>,
  openStore: () => Promise<Store>,
): Promise<{ readonly options: StartOptions; readonly resumed: ResumedRun | undefined }> {
  const budgeted = { ...options, maxUsd: options.maxUsd ?? budgetIn(env) };
  const runId = options.resume ?? (options.retryErrors ? 'latest' : undefined);
  if (runId === undefined) return { options: budgeted, resumed: undefined };
  const store = await openStore();
  const header = await requireRun(store, runId);
  assertSameOptions(options, header.request, header.runId);
  const kept: Partial<StartOptions> = keptOptions(header.request, 'resume');
  // The limit of its last start or change: a start between then and now may have been killed.
  const latest = (await store.readControls(header.runId))?.maxUsd ?? undefined;
  const maxUsd = options.maxUsd ?? latest ?? kept.maxUsd ?? budgeted.maxUsd;
  return { options: { ...budgeted, ...kept, maxUsd }, resumed: { header, store } };
}
