import { AssayError } from '../../../domain/errors.ts';
import { parseSource } from '../../../load/sources/source-file.ts';
import {
  changedValue,
  changesBetween,
  type DocumentChange,
  type Path,
  valueAt,
} from '../../../shared/document-edit/document-change.ts';
import { editDocument } from '../../../shared/document-edit/edit-document.ts';
import { type Syntax, syntaxOf } from '../../../shared/document-edit/read-document.ts';
import { canonicalJson } from '../../../shared/json.ts';
import { isAllCrlf } from './write-file.ts';

/**
 * Changes one value in the text of a file; undefined removes it. Everything else, comments included, stays; the result is
 * checked.
 */
export async function editValue(file: string, text: string, path: Path, value: unknown): Promise<string> {
  const isCrlf = isAllCrlf(text);
  const edited = await editLines(file, isCrlf ? text.replaceAll('\r\n', '\n') : text, path, value);
  return isCrlf ? edited.replaceAll('\n', '\r\n') : edited;
}

async function editLines(file: string, text: string, path: Path, value: unknown): Promise<string> {
  const syntax = syntaxOf(file) ?? 'yaml';
  const isEmpty = text.trim() === '';
  const before =
    isEmpty && path.length === 0 ? undefined : ((await parseSource(file, isEmpty ? '{}' : text)).value ?? {});
  const changes = changesBetween(valueAt(before, path), value, path);
  if (changes.length === 0) return text;
  const whole: DocumentChange = value === undefined ? { kind: 'remove', path } : { kind: 'set', path, value };
  const expected = canonicalJson(changedValue(before, whole));
  // Anchors and merge keys can keep small changes from having the intended effect.
  for (const attempt of [changes, [whole]]) {
    const edited = editAll(text, syntax, attempt);
    if (edited !== undefined && canonicalJson(await valueIn(file, edited)) === expected) return edited;
  }
  throw new AssayError('FILE_INVALID', `${file} uses syntax that cannot be changed here.`, {
    hint: 'Change it in an editor.',
  });
}

function editAll(text: string, syntax: Syntax, changes: readonly DocumentChange[]): string | undefined {
  return changes.reduce<string | undefined>(
    (edited, change) => (edited === undefined ? undefined : editDocument(edited, syntax, change)),
    text,
  );
}

async function valueIn(file: string, text: string): Promise<unknown> {
  const source = await parseSource(file, text).catch(() => undefined);
  return source?.value;
}
