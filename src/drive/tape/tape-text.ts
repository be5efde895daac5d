import type { SummedLine, Take, TapedSubject, TapeLine } from '../../domain/tape.ts';
import { sha256 } from '../../shared/ids.ts';
import { canonicalJson } from '../../shared/json.ts';

const digestLength = 16;

/** A short digest of some data, whatever the order of its keys. */
export function digestOf(data: unknown): string {
  return sha256(canonicalJson(data)).slice(0, digestLength);
}

/** The sum that a line has to have. */
export function sumOf(line: TapeLine | SummedLine): string {
  return digestOf({ ...line, sum: undefined });
}

/** The digest of the lines of a take that its first line has to have. */
export function contentOf(sums: readonly string[]): string {
  return digestOf(sums);
}

/** The first line of a recording. */
export function headText(scenario: string, caseId: string): string {
  return textOf({ kind: 'tape', version: 1, scenario, case: caseId });
}

/** A take as it is written: its lines have no places yet. */
export type WrittenTake = Omit<Take, 'place' | 'lines'> & { readonly lines: readonly TapeLine[] };

/** The recording of one trial as text: one line for the trial, and one for everything that was recorded. */
export function takeText({ variant, repeat, untouched, subject, lines }: WrittenTake): string {
  const content = contentOf(lines.map(sumOf));
  const first = { kind: 'take', variant, repeat, ...(untouched && { untouched }), subject, content } as const;
  return [first, ...lines].map(textOf).join('');
}

function textOf(line: TapeLine): string {
  return `${JSON.stringify({ ...line, sum: sumOf(line) })}\n`;
}

/** The file of the recording of a case, relative to the folder of the recordings. */
export function tapeName(scenario: string, caseId: string): string {
  const words = [scenario, caseId].map((word) => word.replace(/[^\w.-]+/g, '-').replace(/^[.-]+/, ''));
  return `${words.join('--').slice(0, 120)}-${digestOf([scenario, caseId]).slice(0, 8)}.jsonl`;
}

/** Begins the name of a file in the subject of a recording. */
const filePrefix = 'file ';

/** The name of a file of the project in the subject of a recording. */
export function subjectFile(path: string): string {
  return filePrefix + path;
}

/** How a tool differs from the recorded one. A file that is gone is not a difference: a recording answers without it. */
export function subjectChanges(recorded: TapedSubject, now: TapedSubject): string[] {
  const names = [...new Set([...Object.keys(recorded), ...Object.keys(now)])].sort();
  return names.flatMap((name) => {
    const [before, after] = [recorded[name], now[name]];
    if (before === after) return [];
    if (!name.startsWith(filePrefix)) return [`${name} was ${before ?? 'absent'}, and is ${after ?? 'absent'}`];
    return before === undefined || after === undefined ? [] : [`${name.slice(filePrefix.length)} was changed`];
  });
}
