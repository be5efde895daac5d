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
import { projectSecrets } from '../config/redaction.ts';

interface SharedArtifactsOptions {
  readonly stored: StoredFiles;
  readonly env: Readonly<Record<string, string | undefined>>;
  log(message: string): void;
}

interface Sent {
  readonly setId: string;
  readonly folder: string;
}

/**
 * Artifacts of a worker's trials on their way into the shared store: they are sent when a trial has ended, belong
 * to the trial from the transaction on that stores its result, and are removed from this machine afterwards. A trial is
 * judged even when some of them cannot be sent.
 */
export class SharedArtifacts {
  readonly #options: SharedArtifactsOptions;
  readonly #sent = new Map<string, Sent>();

  constructor(options: SharedArtifactsOptions) {
    this.#options = options;
  }

  async send({ record }: FinishedTrial, project: Project): Promise<void> {
    const { stored, env, log } = this.#options;
    if (record.artifacts === null) return;
    const folder = join(artifactsFolder(project), record.artifacts);
    if (!(await isFolder(folder))) return;
    try {
      const { setId, leftOut } = await storeArtifacts(folder, { secrets: projectSecrets(project, env) }, stored);
      this.#sent.set(record.trialId, { setId, folder });
      const [first] = leftOut;
      if (first) log(`${record.trialId}: ${counted(leftOut.length, 'file')} not sent: ${first.path} ${first.reason}.`);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      log(`${record.trialId}: the artifacts could not be sent and stay in ${folder}: ${why}`);
    }
  }

  /** Whether artifacts wait to be assigned to a trial. */
  isSent({ record }: FinishedTrial): boolean {
    return this.#sent.has(record.trialId);
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
 * The folder with the artifacts of a trial; fetched from the shared store where another machine ran the trial.
 * Undefined where there are none.
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
  // Artifacts of a reused trial belong to the earlier trial.
  for (const owner of [trialId, ...(cachedFrom === null ? [] : [cachedFrom])]) {
    if (await fetchArtifacts(owner, folder, stored)) return folder;
  }
  return undefined;
}
