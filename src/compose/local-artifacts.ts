import { mkdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { TrialRecord } from '../domain/record.ts';
import { fetchArtifacts } from '../keep/bundles/artifacts.ts';
import type { StoredFiles } from '../keep/bundles/stored-files.ts';
import { artifactsFolder } from './artifacts-folder.ts';
import type { Project } from './config.ts';

/**
 * The folder with what a trial left behind; fetched from the shared store where another machine ran the trial.
 * Undefined where nothing was left behind, or nothing is kept of it.
 */
export async function localArtifacts(
  { artifacts, trialId, cachedFrom }: Pick<TrialRecord, 'artifacts' | 'trialId' | 'cachedFrom'>,
  project: Project,
  stored: StoredFiles,
): Promise<string | undefined> {
  if (artifacts === null) return undefined;
  const folder = join(artifactsFolder(project), artifacts);
  if (await stat(folder).catch(() => undefined)) return folder;
  await mkdir(dirname(folder), { recursive: true });
  // A result that was taken over from an earlier trial lies with that one.
  for (const owner of [trialId, ...(cachedFrom === null ? [] : [cachedFrom])]) {
    if (await fetchArtifacts(owner, folder, stored)) return folder;
  }
  return undefined;
}
