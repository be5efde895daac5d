import { mkdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Kysely } from 'kysely';
import type { TrialRecord } from '../../domain/record.ts';
import { fetchArtifacts, storeArtifacts } from '../../keep/bundles/artifacts.ts';
import { assignFiles, type StoredFiles } from '../../keep/bundles/stored-files.ts';
import type { Tables } from '../../keep/store/sql/tables.ts';
import type { FinishedTrial } from '../../keep/store/store.ts';
import { counted } from '../../shared/format.ts';
import { artifactsFolder, type Project } from '../config/project.ts';
import { projectSecrets } from '../run/redaction.ts';

interface SharedArtifactsOptions {
  readonly stored: StoredFiles;
  readonly env: Readonly<Record<string, string | undefined>>;
  tell(message: string): void;
}

interface Sent {
  readonly setId: string;
  readonly folder: string;
}

/**
 * What the trials of a worker leave behind, on its way into the shared store: it is sent when a trial has ended, belongs
 * to the trial from the transaction on that stores its result, and is removed from this machine afterwards. A trial is
 * judged all the same when something of it cannot be sent.
 */
export class SharedArtifacts {
  readonly #options: SharedArtifactsOptions;
  readonly #sent = new Map<string, Sent>();

  constructor(options: SharedArtifactsOptions) {
    this.#options = options;
  }

  async send({ record }: FinishedTrial, project: Project): Promise<void> {
    const { stored, env, tell } = this.#options;
    if (record.artifacts === null) return;
    const folder = join(artifactsFolder(project), record.artifacts);
    if (!(await isFolder(folder))) return;
    try {
      const { setId, leftOut } = await storeArtifacts(folder, { secrets: projectSecrets(project, env) }, stored);
      this.#sent.set(record.trialId, { setId, folder });
      const [first] = leftOut;
      if (first)
        tell(`Of ${record.trialId}, ${counted(leftOut.length, 'file')} stayed here: ${first.path} ${first.reason}.`);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      tell(`What ${record.trialId} left behind could not be sent and stays in ${folder}: ${why}`);
    }
  }

  /** To be called in the transaction that stores the results. */
  async assign(transaction: Kysely<Tables>, trials: readonly FinishedTrial[]): Promise<void> {
    for (const { record } of trials) {
      const sent = this.#sent.get(record.trialId);
      if (sent) await assignFiles(transaction, sent.setId, { runId: record.runId, trialId: record.trialId });
    }
  }

  /** To be called when a result is stored, or will never be. */
  async forget({ trialId }: Pick<TrialRecord, 'trialId'>): Promise<void> {
    const sent = this.#sent.get(trialId);
    this.#sent.delete(trialId);
    if (sent) await rm(sent.folder, { recursive: true, force: true }).catch(() => undefined);
  }
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

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
