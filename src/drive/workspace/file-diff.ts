/** Two versions that differ in more lines than this are shown as one replaced by the other. */
const mostDifferences = 1_500;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

interface Hunk {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  readonly lines: readonly string[];
}

/** The text of a file; undefined for what is none. */
export function textOf(content: Buffer): string | undefined {
  if (content.includes(0)) return undefined;
  try {
    return utf8.decode(content);
  } catch {
    return undefined;
  }
}

/** One version of a file, as far as a diff shows it; undefined for a file that was not there. */
export interface FileVersion {
  readonly text: string;
  readonly mode: number;
}

/** A unified diff from one version of a file to another, in the form that Git prints. */
export async function unifiedDiff(path: string, before: FileVersion | undefined, after: FileVersion): Promise<string> {
  const hunks = before === undefined ? [wholeHunk('', after.text)] : await hunksBetween(before.text, after.text);
  const changesText = (before?.text ?? '') !== after.text;
  return [
    ...modeLines(before, after),
    ...(changesText
      ? [`--- ${before === undefined ? '/dev/null' : quoted(`a/${path}`)}`, `+++ ${quoted(`b/${path}`)}`]
      : []),
    ...(changesText ? hunks.flatMap((hunk) => [rangeLine(hunk), ...hunk.lines]) : []),
    '',
  ].join('\n');
}

/** A line break in a name must not look like one in the diff. */
function quoted(path: string): string {
  return /[\x00-\x1f"\\]/.test(path) ? JSON.stringify(path) : path;
}

function modeLines(before: FileVersion | undefined, after: FileVersion): string[] {
  if (before === undefined) return [`new file mode ${modeText(after.mode)}`];
  if (before.mode === after.mode) return [];
  return [`old mode ${modeText(before.mode)}`, `new mode ${modeText(after.mode)}`];
}

function modeText(mode: number): string {
  return `100${mode.toString(8).padStart(3, '0')}`;
}

async function hunksBetween(before: string, after: string): Promise<readonly Hunk[]> {
  if (before === after) return [];
  const { structuredPatch } = await import('diff');
  const options = { context: 3, maxEditLength: mostDifferences };
  const patch = structuredPatch('', '', before, after, undefined, undefined, options);
  return patch?.hunks ?? [wholeHunk(before, after)];
}

function wholeHunk(before: string, after: string): Hunk {
  const [removed, added] = [markedLines('-', before), markedLines('+', after)];
  return {
    oldStart: 1,
    oldLines: removed.count,
    newStart: 1,
    newLines: added.count,
    lines: [...removed.lines, ...added.lines],
  };
}

function markedLines(mark: string, text: string): { readonly count: number; readonly lines: readonly string[] } {
  if (text === '') return { count: 0, lines: [] };
  const endsWithLine = text.endsWith('\n');
  const lines = (endsWithLine ? text.slice(0, -1) : text).split('\n').map((line) => mark + line);
  return { count: lines.length, lines: endsWithLine ? lines : [...lines, '\\ No newline at end of file'] };
}

function rangeLine({ oldStart, oldLines, newStart, newLines }: Hunk): string {
  return `@@ -${range(oldStart, oldLines)} +${range(newStart, newLines)} @@`;
}

/** A range of no lines is named by the line before it. */
function range(start: number, lines: number): string {
  if (lines === 0) return `${start - 1},0`;
  return lines === 1 ? String(start) : `${start},${lines}`;
}
