import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { noTrials } from '../../../domain/run.ts';
import type { FinishedTrial, Store } from '../../../keep/store/store.ts';
import { formatNamed } from '../../../load/imports/choose-format.ts';
import { ImportProblems } from '../../../load/imports/find-files.ts';
import { importRequest, importRun } from '../../../load/imports/import-run.ts';
import type { ImportOptions } from '../../../load/imports/import-source.ts';

/** A file, and the files beside it. */
export interface ImportedFiles {
  readonly name: string;
  readonly content: string | Uint8Array;
  readonly beside?: Readonly<Record<string, string>> | undefined;
  /** Undefined: as it is recognised. */
  readonly format?: string | undefined;
  readonly options?: ImportOptions | undefined;
}

/** The trials and problems that `assay import` stores and reports of a file. */
export interface ImportedRun {
  readonly trials: readonly FinishedTrial[];
  readonly problems: ImportProblems;
}

/** Imports a file as `assay import` does, into a store that only keeps the trials. */
export async function importedRun({
  name,
  content,
  beside = {},
  format,
  options,
}: ImportedFiles): Promise<ImportedRun> {
  const folder = mkdtempSync(join(tmpdir(), 'assay-imported-'));
  try {
    for (const [file, text] of Object.entries({ ...beside, [name]: content })) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), text);
    }
    return await importFile(join(folder, name), format, options);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function importFile(
  path: string,
  format: string | undefined,
  options: ImportOptions | undefined,
): Promise<ImportedRun> {
  const problems = new ImportProblems();
  const trials: FinishedTrial[] = [];
  const file = basename(path);
  await importRun({
    files: [{ file, path, name: file, isNamed: true, bytes: statSync(path).size, changedAt: 1_700_000_000_000 }],
    format: formatNamed(format ?? 'auto'),
    options,
    problems,
    signal: new AbortController().signal,
    redact: (finished) => finished,
    openStore: async () => storeInto(trials),
    header: (plan, files) => ({
      ...{ runId: 'r-1', startedAt: 1, assayVersion: '0', planned: plan.trialCount },
      ...{ request: importRequest([file], files, undefined), scenarios: plan.scenarios() },
    }),
  });
  return { trials, problems };
}

function storeInto(trials: FinishedTrial[]): Store {
  const parts: Partial<Store> = {
    createRun: async () => undefined,
    claimRun: async () => undefined,
    releaseRun: async () => true,
    countTrials: async () => noTrials,
    saveTrials: async (batch) => void trials.push(...batch),
    [Symbol.asyncDispose]: async () => undefined,
  };
  return parts as Store;
}
