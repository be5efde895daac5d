import { AssayError } from '../../../domain/errors.ts';
import { parseSource } from '../../../load/sources/source-file.ts';
import {
  changedValue,
  changesBetween,
  type DocumentChange,
  valueAt,
} from '../../../shared/document-edit/document-change.ts';
import { editDocument } from '../../../shared/document-edit/edit-document.ts';
import { type Syntax, syntaxOf } from '../../../shared/document-edit/read-document.ts';
import { canonicalJson } from '../../../shared/json.ts';
import { isAllCrlf } from './write-file.ts';

/** A named part of a config and its new value; undefined removes the part. */
export interface PartChange {
  readonly section: string;
  readonly name: string;
  readonly value: unknown;
}

/** Changes one part in the text of a config. Everything else, comments included, stays; the result is checked. */
export async function editPart(file: string, text: string, change: PartChange): Promise<string> {
  const isCrlf = isAllCrlf(text);
  const edited = await editLines(file, isCrlf ? text.replaceAll('\r\n', '\n') : text, change);
  return isCrlf ? edited.replaceAll('\n', '\r\n') : edited;
}

async function editLines(file: string, text: string, { section, name, value }: PartChange): Promise<string> {
  const syntax = syntaxOf(file) ?? 'yaml';
  const before = (await parseSource(file, text.trim() === '' && syntax === 'json' ? '{}' : text)).value ?? {};
  const path = [section, name];
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
