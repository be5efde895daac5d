import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { AssayError } from '../../../domain/errors.ts';
import type { TrialRecord } from '../../../domain/record.ts';
import type { RunHeader } from '../../../domain/run.ts';
import type { Trace } from '../../../domain/trace.ts';
import { requireRun, type Store } from '../../../keep/store/store.ts';
import { formatNamed, readableFiles, trialsOf } from '../../../load/imports/choose-format.ts';
import { type FoundImport, findImports, ImportProblems } from '../../../load/imports/find-files.ts';
import type { ImportedTrial } from '../../../load/imports/import-format.ts';
import { finishedTrial, Identities } from '../../../load/imports/imported-record.ts';
import { counted } from '../../../shared/format.ts';
import { redactDeep } from '../../../shared/redaction/redaction.ts';
import { artifactsFolder, type Project } from '../../config/project.ts';
import { projectRedaction } from '../../config/redaction.ts';

/** A trial that a case is made of. */
export interface RecordedTrial {
  readonly record: TrialRecord;
  readonly trace: Trace;
  /** Absolute: the kept folder of the trial; undefined where nothing was kept. */
  readonly keptFolder: string | undefined;
  /** The run that it belongs to; undefined for a trace in a file. */
  readonly run: RunHeader | undefined;
  /** Its ids or its file, for the `source` of the case. */
  readonly source: Readonly<Record<string, string>>;
}

/** A trial of the store: by its id or an unambiguous beginning of it, or by a run in which it alone did not pass. */
export async function storedTrial(subject: string, store: Store, project: Project): Promise<RecordedTrial> {
  const record = (await store.findTrial(subject)) ?? (await onlyFailure(subject, store));
  const run = await requireRun(store, record.runId);
  const trace = (await store.readTrace(record.trialId)) ?? [];
  const { artifacts } = record;
  const folder = artifacts === null ? undefined : join(artifactsFolder(project), artifacts);
  const keptFolder = folder !== undefined && existsSync(folder) ? folder : undefined;
  return { record, trace, keptFolder, run, source: { trial: record.trialId, run: record.runId } };
}

const listedFailures = 5;

async function onlyFailure(runId: string, store: Store): Promise<TrialRecord> {
  const run = await store.findRun(runId);
  if (!run) {
    throw new AssayError('NOT_FOUND', `There is no trial "${runId}" in the store, and no file of that name.`, {
      hint: 'List the trials of a run with `assay show latest`.',
    });
  }
  const found = await store.readTrials(run.runId, { limit: listedFailures + 1, outcomes: ['fail', 'error'] });
  const [only, ...others] = found;
  if (only && others.length === 0) return only;
  const ids = found.slice(0, listedFailures).map(({ trialId }) => trialId);
  const more = found.length > listedFailures ? ', …' : '';
  throw new AssayError('USAGE', `${only ? 'Several trials' : 'No trial'} of ${run.runId} failed.`, {
    hint: only ? `Choose one of ${ids.join(', ')}${more}.` : 'Name the id of a trial.',
  });
}

interface TraceFile {
  /** As the user names it, relative to `cwd`. */
  readonly file: string;
  readonly cwd: string;
  readonly format: string | undefined;
  /** Which of its trials, from 1. */
  readonly number: number | undefined;
  readonly project: Project;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A trial that was recorded in a file of any format that can be imported. */
export async function tracedTrial({ file, cwd, format, number, project, env }: TraceFile): Promise<RecordedTrial> {
  const trials = await recordedTrials(file, cwd, format);
  if (trials.length > 1 && number === undefined) {
    throw new AssayError('USAGE', `${file} has ${counted(trials.length, 'trial')}.`, {
      hint: `Choose one with --trial 1 to --trial ${trials.length}.`,
    });
  }
  const chosen = trials[(number ?? 1) - 1];
  if (!chosen) throw new AssayError('USAGE', `${file} has ${counted(trials.length, 'trial')}, not ${number}.`);
  return recordedTrial(chosen, project, env);
}

/** A trial and the file that it was read from. */
interface FoundTrial {
  readonly trial: ImportedTrial;
  readonly found: FoundImport;
  /** Undefined for the only trial of its file. */
  readonly number: number | undefined;
}

/** The trials below a path; a path without any is refused with the reason. */
export async function recordedTrials(path: string, cwd: string, format: string | undefined): Promise<FoundTrial[]> {
  const problems = new ImportProblems();
  const files = await findImports([path], cwd, problems);
  const readable = await readableFiles({ files, format: formatNamed(format ?? 'auto'), problems });
  const found: FoundTrial[] = [];
  for (const file of readable) {
    const ofFile: ImportedTrial[] = [];
    for await (const trial of trialsOf(file, problems)) ofFile.push(trial);
    const isOnly = ofFile.length === 1;
    found.push(...ofFile.map((trial, index) => ({ trial, found: file.found, number: isOnly ? undefined : index + 1 })));
  }
  if (found.length > 0) return found;
  const [first] = problems.list;
  throw new AssayError('FILE_INVALID', `${path} has no trial: ${first?.message ?? 'it is empty'}.`, {
    hint: first?.hint ?? 'See `assay import --help` for the supported formats; choose one with `--format`.',
  });
}

/** The same trial with a record, and without secrets. */
export function recordedTrial(
  { trial, found, number }: FoundTrial,
  project: Project,
  env: Readonly<Record<string, string | undefined>>,
): RecordedTrial {
  const place = { ...new Identities().identify(trial, found), runId: '', ordinal: 0, usualStart: found.changedAt };
  const { record, trace } = redactDeep(finishedTrial(trial, place), projectRedaction(project, env));
  const folder = dirname(found.path);
  const file = relative(project.folder, resolve(found.path));
  return {
    record,
    trace,
    keptFolder: existsSync(join(folder, 'fixture')) ? folder : undefined,
    run: undefined,
    source: { trace: number === undefined ? file : `${file}#${number}` },
  };
}
