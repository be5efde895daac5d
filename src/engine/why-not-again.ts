import { access } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { RunHeader, RunRequest } from '../domain/run.ts';
import { counted } from '../shared/format.ts';

const originReasons = {
  import: 'Its trials were imported: they ran elsewhere.',
  evaluate: 'Its trials were scored from a trace that was recorded elsewhere.',
  rule: 'Its trials are collected traces, judged by a rule.',
  rescore: 'It scored the traces of another run again, and ran nothing.',
  edit: 'Its input was edited, and is in no file.',
} as const;

/** Why a run, or the trials of one of its files, cannot be run again; undefined where they can. */
export async function whyNotAgain(run: RunHeader, folder: string, file?: string): Promise<string | undefined> {
  const reason = reasonOf(run.request);
  if (reason !== undefined) return reason;
  const files = file === undefined ? [...new Set(run.scenarios.map((scenario) => scenario.file))] : [file];
  const gone = await missingFiles(files, folder);
  const [first] = gone;
  if (first === undefined) return undefined;
  if (gone.length === 1) return `Its file ${first} is gone.`;
  return `${counted(gone.length, 'file')} of it are gone, such as ${first}.`;
}

function reasonOf({ origin, experiment, improvement, recordTools }: RunRequest): string | undefined {
  if (origin) return originReasons[origin.kind];
  if (experiment) return 'It is an experiment: begin a new one, so its looks are planned before its first trial.';
  if (improvement) return `It is a part of the improvement ${improvement.id}, whose texts are in no file.`;
  if (recordTools !== undefined) return `It recorded tool calls in ${recordTools}: again, it would replace them.`;
  return undefined;
}

async function missingFiles(files: readonly string[], folder: string): Promise<string[]> {
  const isThere = (file: string) =>
    access(resolve(folder, file)).then(
      () => true,
      () => false,
    );
  const found = await Promise.all(files.map(isThere));
  return files.filter((_, index) => !found[index]);
}
