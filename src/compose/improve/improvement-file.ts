import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AssayError } from '../../domain/errors.ts';
import { type Improvement, improvementSchema } from '../../domain/improvement.ts';
import { makeOwnFolder } from '../../keep/store/open-store.ts';
import { parseJson } from '../../shared/json.ts';
import { writeWholeAtOnce } from '../../shared/redacted-files.ts';
import { redactedText } from '../../shared/redaction/redacted.ts';
import { type Redact, redactedJson } from '../../shared/redaction/redaction.ts';
import { suggestion } from '../../shared/suggest.ts';

const fileName = 'improvement.json';

/** The folder of an improvement: its state, the versions that are tried, and its report. */
export function improvementFolder(projectFolder: string, id: string): string {
  return join(improvementsFolder(projectFolder), id);
}

/** Written to another file first, so a crash leaves the state of before. */
export function saveImprovement(projectFolder: string, improvement: Improvement, redact: Redact): void {
  makeOwnFolder(join(projectFolder, '.assay'));
  const path = join(improvementFolder(projectFolder, improvement.id), fileName);
  writeWholeAtOnce(path, redactedText`${redactedJson(improvement, redact, 2)}\n`);
}

/** Finds an improvement by its id, the beginning of it, or `latest`. */
export function readImprovement(projectFolder: string, wanted: string): Improvement {
  const ids = idsIn(improvementsFolder(projectFolder));
  const id = wanted === 'latest' ? latestOf(ids, projectFolder) : onlyMatch(wanted, ids);
  if (id === undefined) {
    throw new AssayError('NOT_FOUND', `There is no improvement "${wanted}".`, {
      hint: ids.length === 0 ? 'Start one with `assay experiment improve`.' : suggestion(wanted, ids),
    });
  }
  const checked = readState(projectFolder, id);
  if (checked.success) return checked.data;
  throw new AssayError('FILE_INVALID', `The state of the improvement ${id} cannot be read.`, {
    hint: 'Start a new one with `assay experiment improve`; its runs are still in the store.',
  });
}

function readState(projectFolder: string, id: string) {
  const file = join(improvementFolder(projectFolder, id), fileName);
  return improvementSchema.safeParse(parseJson(readFileSync(file, 'utf8')));
}

/** Names are sorted by the second in which they began; within one, only the state says which was later. */
function latestOf(ids: readonly string[], projectFolder: string): string | undefined {
  const second = ids.at(-1)?.replace(/-[^-]*$/, '');
  const began = (id: string): number => readState(projectFolder, id).data?.startedAt ?? 0;
  const together = second === undefined ? [] : ids.filter((id) => id.startsWith(`${second}-`));
  return together.length < 2 ? ids.at(-1) : together.toSorted((a, b) => began(a) - began(b)).at(-1);
}

function onlyMatch(wanted: string, ids: readonly string[]): string | undefined {
  const matches = ids.filter((id) => id === wanted || id.startsWith(wanted));
  return matches.length === 1 ? matches[0] : matches.find((id) => id === wanted);
}

function improvementsFolder(projectFolder: string): string {
  return join(projectFolder, '.assay', 'improve');
}

/** Sorted by time, as their names begin with it. */
function idsIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.startsWith('i-'))
      .sort();
  } catch {
    return [];
  }
}
