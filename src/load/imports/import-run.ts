import { type RunHeader, type RunRequest, type RunSummary, summarizeRun } from '../../domain/run.ts';
import { RunLease } from '../../keep/store/run-lease.ts';
import type { FinishedTrial, Store } from '../../keep/store/store.ts';
import { counted } from '../../shared/format.ts';
import { contentKey } from '../../shared/ids.ts';
import { canonicalJson } from '../../shared/json.ts';
import { type ReadableFile, readableFiles, trialsOf } from './choose-format.ts';
import { charactersIn } from './coerce.ts';
import { type FoundImport, type ImportProblem, ImportProblems, problemIn } from './find-files.ts';
import type { ImportedTrial, ImportFormat } from './import-format.ts';
import type { ImportOptions } from './import-source.ts';
import { finishedTrial, Identities, ImportPlan, withExcerpt } from './imported-record.ts';

/** Files to import, and the store. */
export interface ImportJob {
  readonly files: readonly FoundImport[];
  /** Undefined: detected for each file. */
  readonly format: ImportFormat | undefined;
  readonly options?: ImportOptions | undefined;
  readonly problems: ImportProblems;
  /** Header of the imported run; called only when there are trials. */
  header(plan: ImportPlan, files: readonly ImportedFile[]): Omit<RunHeader, 'status' | 'finishedAt'>;
  openStore(): Promise<Store>;
  redact(finished: FinishedTrial): FinishedTrial;
  readonly signal: AbortSignal;
}

/** A file with imported trials. */
export interface ImportedFile {
  readonly file: string;
  readonly format: string;
  readonly trials: number;
  /** Trials with gaps. */
  readonly incomplete: number;
}

/** Result of an import; there is no run without trials. */
export interface ImportReport {
  readonly files: readonly ImportedFile[];
  readonly summary: RunSummary | undefined;
}

const batchTrials = 256;
const batchCharacters = 4 * 1_048_576;

/**
 * Reads the files twice: first to plan the run, then to store the trials. Nothing is kept in memory
 * in between. The store is opened only when there are trials.
 */
export async function importRun(job: ImportJob): Promise<ImportReport> {
  const plan = new ImportPlan();
  const readable = await readableFiles(job);
  const ids = new TrialIds();
  const files = await lookThrough(readable, plan, ids, job);
  if (plan.trialCount === 0 || job.signal.aborted) return { files, summary: undefined };
  await using store = await job.openStore();
  const header: RunHeader = { ...job.header(plan, files), status: 'running', finishedAt: null };
  await store.createRun(header);
  await using lease = await RunLease.take(header.runId, store, job);
  const stored = await storeTrials(readable, plan, new TrialIds(ids), header, store, { ...job, signal: lease.signal });
  const isStopped = lease.signal.aborted;
  if (!isStopped && stored < plan.trialCount) job.problems.add(changedProblem(readable, plan, stored));
  const run = { ...header, status: isStopped ? 'interrupted' : 'finished', finishedAt: Date.now() } as const;
  await lease.end(run.status, run.finishedAt);
  return { files, summary: summarizeRun(run, await store.countTrials(run.runId), run.finishedAt) };
}

/** The request of an imported run. */
export function importRequest(
  paths: readonly string[],
  files: readonly ImportedFile[],
  name: string | undefined,
): RunRequest {
  const formats = [...new Set(files.map(({ format }) => format))];
  return {
    paths: [...paths],
    origin: { kind: 'import', file: paths.join(', '), format: formats.join(', ') },
    ...(name !== undefined && { name }),
  };
}

async function lookThrough(
  readable: readonly ReadableFile[],
  plan: ImportPlan,
  ids: TrialIds,
  { problems, signal }: ImportJob,
): Promise<ImportedFile[]> {
  const identities = new Identities();
  const files: ImportedFile[] = [];
  for (const file of readable) {
    let trials = 0;
    let incomplete = 0;
    for await (const trial of trialsOf(file, problems)) {
      if (signal.aborted) return files;
      const standing = ids.standingOf(trial, file.format.name);
      if (standing !== 'first') problems.add(standingProblem(trial, file, standing));
      if (standing === 'again') continue;
      plan.add(identities.identify(trial, file.found));
      trials++;
      if (trial.trace.some(({ type }) => type === 'gap')) incomplete++;
    }
    const { found, format } = file;
    if (trials > 0) files.push({ file: found.file, format: format.name, trials, incomplete });
    else if (!problems.isRefused(found.file))
      problems.add(problemIn(found, `it contains no trials (read as ${format.name})`, !found.isNamed));
  }
  return files;
}

async function storeTrials(
  readable: readonly ReadableFile[],
  plan: ImportPlan,
  ids: TrialIds,
  { runId }: RunHeader,
  store: Store,
  { redact, signal, problems }: ImportJob,
): Promise<number> {
  const identities = new Identities();
  const placeOf = plan.places();
  let batch: FinishedTrial[] = [];
  let characters = 0;
  let stored = 0;
  for (const file of readable) {
    for await (const read of trialsOf(file, ImportProblems.ignored)) {
      if (signal.aborted) break;
      const standing = ids.standingOf(read, file.format.name);
      if (standing === 'again') continue;
      const trial = standing === 'contradicted' ? contradictedTrial(read) : read;
      const identity = identities.identify(trial, file.found);
      const ordinal = placeOf(identity);
      if (ordinal === undefined) {
        problems.add(problemIn(file.found, 'the file changed while it was read; import it again', false));
        break;
      }
      const place = { ...identity, runId, ordinal, usualStart: file.found.changedAt };
      const finished = withExcerpt(redact(finishedTrial(trial, place)));
      batch.push(finished);
      stored++;
      characters += charactersIn(finished.trace);
      if (batch.length < batchTrials && characters < batchCharacters) continue;
      await store.saveTrials(batch);
      batch = [];
      characters = 0;
    }
  }
  await store.saveTrials(batch);
  return stored;
}

/** The same trial again is worth a word; one that contradicts another is an error of both. */
function standingProblem(
  trial: ImportedTrial,
  { found: { file } }: ReadableFile,
  standing: 'again' | 'contradicted',
): ImportProblem {
  const at = { file, line: trial.line, column: 1 };
  return standing === 'again'
    ? { at, message: `the trial ${trial.id} is there twice and counts once`, isWarning: true }
    : { at, message: contradictedReason(trial), isWarning: false };
}

function changedProblem([first]: readonly ReadableFile[], plan: ImportPlan, stored: number): ImportProblem {
  const missing = counted(plan.trialCount - stored, 'trial');
  const message = `${missing} could not be read again because the files changed; import them again`;
  return { at: { file: first?.found.file ?? '', line: 1, column: 1 }, message, isWarning: false };
}

/** A trial of an import by its id: the first with it, the same again, or one that contradicts another. */
type Standing = 'first' | 'again' | 'contradicted';

/** Finds trials that the files of an import hold twice. */
class TrialIds {
  readonly #contents = new Map<string, string>();
  readonly #contradicted: Set<string>;

  /** `before` knows the contradictions, which are found only when all files were read. */
  constructor(before?: TrialIds) {
    this.#contradicted = before ? before.#contradicted : new Set();
  }

  standingOf({ line: _, ...trial }: ImportedTrial, format: string): Standing {
    if (trial.id === undefined) return 'first';
    const key = `${format} ${trial.id}`;
    const content = contentKey([canonicalJson(trial)]);
    const earlier = this.#contents.get(key);
    if (earlier === content) return 'again';
    if (earlier === undefined) this.#contents.set(key, content);
    else this.#contradicted.add(key);
    return this.#contradicted.has(key) ? 'contradicted' : 'first';
  }
}

/** A trial whose id stands for another one as well: it is unknown which of them happened. */
function contradictedTrial({ fault: _, ...trial }: ImportedTrial): ImportedTrial {
  return { ...trial, verdict: { state: 'error', reason: contradictedReason(trial) } };
}

function contradictedReason({ id }: Pick<ImportedTrial, 'id'>): string {
  return `the id ${id} stands for several trials that differ`;
}
