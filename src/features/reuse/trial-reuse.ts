import { join } from 'node:path';
import type { RunOptions } from '../../domain/option-values.ts';
import type { RunPlace } from '../../engine/feature.ts';
import { once } from '../../shared/async.ts';
import type { TrialReuse } from './trial-cache.ts';

interface ReuseOptions extends Pick<RunPlace, 'env' | 'parts' | 'redact'> {
  readonly project: { readonly folder: string };
  /** `reuse` true: every trial with a CLI tool; undefined: those whose files request it; false: none. */
  readonly options: Pick<RunOptions, 'reuse' | 'updateGolden' | 'record' | 'replay' | 'recordTools' | 'replayTools'>;
}

/** The kept results of a project; loaded when the first trial with an agent needs one. */
export function trialReuseIn({
  project: { folder },
  env,
  options,
  parts,
  redact,
}: ReuseOptions): TrialReuse | undefined {
  const { reuse, updateGolden = false, record, replay, recordTools, replayTools } = options;
  const isRecorded = [record, replay, recordTools, replayTools].some((recordings) => recordings !== undefined);
  // A golden file is written from what a tool answers now.
  if (reuse === false || updateGolden || isRecorded) return undefined;
  const load = once(async () => {
    const [{ trialCache }, { TrialKeys }] = await Promise.all([import('./trial-cache.ts'), import('./trial-key.ts')]);
    const keys = new TrialKeys({ ...parts, env, folder });
    return trialCache({ folder: join(folder, '.assay', 'trial-cache'), keys, isRequested: reuse === true, redact });
  });
  return { open: async (trial, warn) => (await load()).open(trial, warn) };
}
