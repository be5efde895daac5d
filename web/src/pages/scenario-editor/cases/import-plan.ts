import type { FileProblem } from '../../../../../src/entry/server/api/project.ts';
import { type DocumentChange, valueAt } from '../../../../../src/shared/document-edit/document-change.ts';
import { editDocument } from '../../../../../src/shared/document-edit/edit-document.ts';
import { pathAt, readDocument, type Syntax } from '../../../../../src/shared/document-edit/read-document.ts';
import type { CaseLine, LineProblem } from './case-lines.ts';

export type ImportMode = 'add' | 'replace';

/** More cases belong into a dataset file, which is read row by row. */
export const mostLines = 1_000;
/** Each is inserted by itself where the cases have comments, which stay then. */
const mostInsertions = 50;

/** The effect of an import on the text of a file. */
export interface ImportPlan {
  readonly changes: readonly DocumentChange[];
  /** The text afterwards. */
  readonly text: string;
  /** How many cases stand before the imported ones. */
  readonly offset: number;
}

/** The plan, or why the cases cannot be put into this text. */
export function planImport(
  text: string,
  syntax: Syntax,
  cases: readonly CaseLine[],
  mode: ImportMode,
): ImportPlan | string {
  const read = readDocument(text, syntax);
  if (!read.isReadable) return 'The text of the file cannot be read; correct it first.';
  if (cases.length > mostLines)
    return `These are more than ${mostLines} cases. Put them into a file, and name it in \`dataset\`.`;
  const present = valueAt(read.value, ['cases']);
  const existing: readonly unknown[] = Array.isArray(present) && mode === 'add' ? present : [];
  const values = cases.map(({ value }) => value);
  const hasComments = existing.length > 0 && commentsIn(text, read.document.getIn(['cases'], true));
  if (hasComments && values.length > mostInsertions) {
    return `The cases of the file have comments, which only up to ${mostInsertions} new cases leave as they are.`;
  }
  const changes: readonly DocumentChange[] = hasComments
    ? values.map((value, at) => ({ kind: 'insert', path: ['cases'], index: existing.length + at, value }))
    : [{ kind: 'set', path: ['cases'], value: [...existing, ...values] }];
  const edited = changes.reduce<string | undefined>(
    (so, change) => (so === undefined ? undefined : editDocument(so, syntax, change)),
    text,
  );
  if (edited === undefined) return 'The cases cannot be put into this file from here: edit its text.';
  return { changes, text: edited, offset: existing.length };
}

function commentsIn(text: string, node: unknown): boolean {
  const range = typeof node === 'object' && node !== null && 'range' in node ? node.range : undefined;
  return Array.isArray(range) && /#|\/[/*]/.test(text.slice(Number(range[0]), Number(range[2])));
}

/** The problems that the server found in imported cases, by the lines that they came from. */
export function importProblems(
  plan: ImportPlan,
  syntax: Syntax,
  cases: readonly CaseLine[],
  problems: readonly FileProblem[],
): LineProblem[] {
  const read = readDocument(plan.text, syntax);
  if (!read.isReadable) return [];
  return problems.flatMap(({ message, hint, severity, ...position }) => {
    const [key, index] = pathAt(read, position);
    const line = key === 'cases' && typeof index === 'number' ? cases[index - plan.offset]?.line : undefined;
    if (line === undefined) return [];
    // The line says which case it is.
    const what = message.replace(/\bcases\[\d+\]\.?/g, '');
    return [{ line, message: `${what}${hint === undefined ? '' : ` ${hint}`}`, severity }];
  });
}
