import { Document } from 'yaml';
import { changedValue, type DocumentChange, isSameValue } from './document-change.ts';
import { editBlock, editWhole } from './edit-block.ts';
import { editFlow, editScalar } from './edit-inline.ts';
import { editPair } from './edit-pair.ts';
import { type ReadableDocument, readDocument, type Syntax } from './read-document.ts';
import { resolveChange } from './resolve-change.ts';

/**
 * The text after a change, with as little else touched as possible. Each way is tried on a fresh reading and counts
 * only when the text then holds exactly the requested value; undefined where none does.
 */
export function editDocument(
  text: string,
  syntax: Syntax,
  change: DocumentChange,
  keyOrder: readonly string[] = [],
): string | undefined {
  const before = readDocument(text, syntax);
  if (!before.isReadable) return undefined;
  const wanted = changedValue(before.value, change);
  for (const edit of waysOf(text, syntax, keyOrder)) {
    const read = readDocument(text, syntax);
    const edited = read.isReadable ? edit(read, change) : undefined;
    if (edited !== undefined && holds(edited, syntax, wanted)) return edited;
  }
  return undefined;
}

type Way = (read: ReadableDocument, change: DocumentChange) => string | undefined;

function waysOf(text: string, syntax: Syntax, keyOrder: readonly string[]): readonly Way[] {
  const exact: readonly Way[] = [
    (read, change) => withResolved(read, change, (resolved) => editScalar(text, resolved, syntax)),
    (read, change) => withResolved(read, change, (resolved) => editFlow(text, resolved, syntax)),
  ];
  if (syntax === 'json') return [...exact, (read, change) => firstText(text, read, change, syntax)];
  return [
    ...exact,
    (read, change) => withResolved(read, change, (resolved) => editPair(text, read, resolved)),
    (read, change) => withResolved(read, change, (resolved) => editBlock(text, read, resolved, keyOrder)),
    (read, change) => withResolved(read, change, (resolved) => editWhole(text, read, resolved)),
    (read, change) => firstText(text, read, change, syntax),
  ];
}

function withResolved(
  read: ReadableDocument,
  change: DocumentChange,
  edit: (resolved: NonNullable<ReturnType<typeof resolveChange>>) => string | undefined,
): string | undefined {
  const resolved = resolveChange(read, change);
  return resolved && edit(resolved);
}

function firstText(text: string, read: ReadableDocument, change: DocumentChange, syntax: Syntax): string | undefined {
  if (read.value !== null && read.value !== undefined) return undefined;
  const value = changedValue(null, change);
  if (syntax === 'json') return text.trim() === '' ? `${JSON.stringify(value, null, 2)}\n` : undefined;
  const start = text === '' || text.endsWith('\n') ? text : `${text}\n`;
  return start + new Document(value).toString({ lineWidth: 0 });
}

function holds(text: string, syntax: Syntax, wanted: unknown): boolean {
  const read = readDocument(text, syntax);
  // Without its last key a file holds only comments, if anything: that is a map without keys.
  return read.isReadable && isSameValue(read.value ?? {}, wanted ?? {});
}
