import { readdir, readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { AssayError } from '../../domain/errors.ts';
import type { RunHeader } from '../../domain/run.ts';
import { type Store, tooFewRuns } from '../../keep/store/store.ts';
import type { CollectedSide } from '../../report/compare/collected-side.ts';
import { collectSide, type SideSource } from '../../report/compare/side-collector.ts';
import { storedSource } from '../../report/compare/stored-source.ts';
import { isRecord } from '../../shared/json.ts';
import { didYouMean } from '../../shared/suggest.ts';
import { baselineNames, baselineSide, isFile, parsedFile, readBaseline } from './baseline-file.ts';
import { documentSource } from './run-document.ts';

/** Places in which the sides of a comparison are searched. */
export interface SidePlaces {
  readonly cwd: string;
  /** Folder of the project, which holds its baselines. */
  readonly folder: string;
  /** Called only when neither a file nor a baseline matches. */
  openStore(): Promise<Store>;
}

/** A run whose trials are not read yet, or a baseline. */
export type FoundSide =
  | {
      readonly kind: 'run';
      readonly source: SideSource;
      /** Undefined for a run that comes from a file. */
      readonly stored?: { readonly run: RunHeader; readonly store: Store };
    }
  | { readonly kind: 'baseline'; readonly side: CollectedSide };

const runTwice = 'Run before and after a change with `assay run`, then compare.';

/** Words that people write for the run before the latest. */
const wordsForBefore: ReadonlySet<string> = new Set(['previous', 'prev', 'before', 'last', 'head~1', '-1']);

/** Finds a run (its id, a prefix of it, `latest`, `latest~1`), a baseline by its name, or a file with either. */
export async function findSide(what: string, places: SidePlaces): Promise<FoundSide> {
  const file = resolve(places.cwd, what);
  if (await isFile(file)) return sideInFile(parsedFile(await readFile(file, 'utf8'), what), what);
  const baseline = await readBaseline(places.folder, what);
  if (baseline) return { kind: 'baseline', side: baseline };
  const store = await places.openStore();
  const run = await store.findRun(what);
  if (run) {
    await noteLook(run, store);
    return { kind: 'run', source: storedSource(run, store), stored: { run, store } };
  }
  const names = baselineNames(await readdir(places.folder).catch(() => []));
  const tooFew = tooFewRuns(what);
  if (tooFew) {
    const isUsual = what === 'latest' || what === 'latest~1';
    throw isUsual ? new AssayError('NOT_FOUND', tooFew.message, { hint: runTwice }) : tooFew;
  }
  throw new AssayError('NOT_FOUND', `There is no run, baseline or file "${what}".`, {
    hint:
      didYouMean(what, names) ??
      (wordsForBefore.has(what.toLowerCase()) ? '`latest~1` is the run before the latest.' : undefined) ??
      'List the stored runs with `assay runs`; save one as a baseline with `assay baseline set`.',
  });
}

/** A run that goes on after it was compared is not what it seems: that it was seen may be why it goes on. */
async function noteLook({ runId, status, planned, experiment }: RunHeader, store: Store): Promise<void> {
  if (status === 'finished' || experiment) return;
  const { pass, fail, error } = await store.countTrials(runId);
  const trials = pass + fail + error;
  // A store that cannot be written can still be compared.
  if (trials > 0 && trials < planned) await store.addEarlyLook(runId, trials).catch(() => undefined);
}

/** Reads everything that a comparison needs; only of cases that can have a partner, where it is with another side. */
export async function collected(found: FoundSide, comparedWith?: FoundSide): Promise<CollectedSide> {
  if (found.kind === 'baseline') return found.side;
  const { stored } = found;
  const other = comparedWith?.kind === 'run' ? comparedWith.stored?.run : undefined;
  return collectSide(stored && other ? storedSource(stored.run, stored.store, other) : found.source);
}

function sideInFile(document: unknown, file: string): FoundSide {
  if (isRecord(document) && document.schema === 'assay.baseline/1') {
    return { kind: 'baseline', side: baselineSide(document, file) };
  }
  return { kind: 'run', source: documentSource(document, file) };
}
