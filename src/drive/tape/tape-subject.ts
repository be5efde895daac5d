import type { TapedSubject } from '../../domain/tool-control/tape.ts';

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
