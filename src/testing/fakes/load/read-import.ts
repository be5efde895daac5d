import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { describeGap } from '../../../domain/coverage-text.ts';
import type { TrialRecord } from '../../../domain/record.ts';
import { eventsOf } from '../../../domain/trace.ts';
import { chooseFormat, formatNamed } from '../../../load/imports/choose-format.ts';
import { type ImportProblem, ImportProblems } from '../../../load/imports/find-files.ts';
import type { ImportedTrial } from '../../../load/imports/import-format.ts';
import { type ImportOptions, ImportSource } from '../../../load/imports/import-source.ts';
import { finishedTrial } from '../../../load/imports/imported-record.ts';
import { readSample } from '../../../load/imports/sample.ts';

/** Trials and problems of a file. */
export interface ReadImport {
  /** Undefined when it was not recognised. */
  readonly format: string | undefined;
  readonly trials: readonly ImportedTrial[];
  readonly problems: readonly ImportProblem[];
}

/** Reads the trials of a file with this content, which may have other files beside it. */
export async function readImport(
  content: string | Uint8Array,
  {
    name = 'file.jsonl',
    format = 'auto',
    beside = {},
    options = {},
  }: {
    readonly name?: string;
    readonly format?: string;
    readonly beside?: Readonly<Record<string, string>>;
    readonly options?: ImportOptions;
  } = {},
): Promise<ReadImport> {
  const folder = mkdtempSync(join(tmpdir(), 'assay-import-'));
  try {
    for (const [file, text] of Object.entries({ ...beside, [name]: content })) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), text);
    }
    return await readFile(join(folder, name), format, options);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function readFile(path: string, wanted: string, options: ImportOptions): Promise<ReadImport> {
  const problems = new ImportProblems();
  const { size: bytes, mtimeMs: changedAt } = statSync(path);
  const sample = await readSample(path, basename(path), bytes);
  const file = basename(path);
  const choice = chooseFormat(sample, { file, path, name: file, isNamed: true, bytes, changedAt }, formatNamed(wanted));
  if (!('format' in choice)) {
    const { problem: message, isWarning } = choice;
    return { format: undefined, trials: [], problems: [{ at: { file, line: 1, column: 1 }, message, isWarning }] };
  }
  const trials: ImportedTrial[] = [];
  const source = new ImportSource({ file, path, bytes, problems, options });
  for await (const trial of choice.format.read(source)) trials.push(trial);
  return { format: choice.format.name, trials, problems: problems.list };
}

/** Problems as `line: message`. */
export function reported({ problems }: ReadImport): string[] {
  return problems.map(({ at, message, isWarning }) => `${isWarning ? 'warning ' : ''}${at.line}: ${message}`);
}

/** The losses of a trial. */
export function gapsOf(trial: ImportedTrial | undefined): string[] {
  return eventsOf(trial?.trace ?? [], 'gap').map(describeGap);
}

/** A trial as the store keeps it. */
export function recordOf(trial: ImportedTrial | undefined): TrialRecord {
  if (!trial) throw new Error('There is no such trial.');
  const place = { runId: 'r', ordinal: 0, usualStart: 1, scenario: 's', file: 'f', caseId: 'c', repeat: 1 };
  return finishedTrial(trial, { ...place, variant: trial.variant }).record;
}

/** The events of a trial without their times, for comparing. */
export function eventsIn(trial: ImportedTrial | undefined): object[] {
  return (trial?.trace ?? []).map(({ at: _at, seenBy: _seenBy, ...event }) => event);
}
