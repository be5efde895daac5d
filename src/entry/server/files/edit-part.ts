import { extname } from 'node:path';
import { AssayError } from '../../../domain/errors.ts';
import { parseSource } from '../../../load/sources/source-file.ts';
import { canonicalJson, isRecord } from '../../../shared/json.ts';
import { changesBetween, withChange } from './data-changes.ts';
import { editJson } from './edit-json.ts';
import { type PartEdit, yamlEdits } from './edit-yaml.ts';
import { isAllCrlf } from './write-file.ts';

/** Which named part of a config becomes what; undefined takes it away. */
export type PartChange = Pick<PartEdit, 'section' | 'name' | 'value'>;

/** A text of a config with one part changed. All else, comments included, stays; what the text says afterwards is checked. */
export async function editPart(file: string, text: string, change: PartChange): Promise<string> {
  const isCrlf = isAllCrlf(text);
  const edited = await editLines(file, isCrlf ? text.replaceAll('\r\n', '\n') : text, change);
  return isCrlf ? edited.replaceAll('\n', '\r\n') : edited;
}

async function editLines(file: string, text: string, { section, name, value }: PartChange): Promise<string> {
  const before = (await parseSource(file, text.trim() === '' && isJson(file) ? '{}' : text)).value ?? {};
  const sectionBefore = isRecord(before) && isRecord(before[section]) ? before[section] : {};
  const old = Object.hasOwn(sectionBefore, name) ? sectionBefore[name] : undefined;
  const changes = changesBetween(old, value, [section, name]);
  if (changes.length === 0) return text;
  const expected = canonicalJson(withChange(before, { path: [section, name], value }));
  for (const make of waysToEdit(file)) {
    const edited = attempt(() => make(text, { section, name, value, changes }));
    if (edited !== undefined && canonicalJson(await valueIn(file, edited)) === expected) return edited;
  }
  throw new AssayError('FILE_INVALID', `${file} is written in a way that cannot be changed from here.`, {
    hint: 'Change it in an editor.',
  });
}

function waysToEdit(file: string): readonly ((text: string, edit: PartEdit) => string | undefined)[] {
  if (!isJson(file)) return yamlEdits;
  const rootOf = (text: string): string => (text.trim() === '' ? '{}\n' : text);
  return [
    (text, { changes }) => editJson(rootOf(text), changes),
    (text, { section, name, value }) => editJson(rootOf(text), [{ path: [section, name], value }]),
  ];
}

function isJson(file: string): boolean {
  return /^\.jsonc?$/.test(extname(file));
}

function attempt(make: () => string | undefined): string | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}

async function valueIn(file: string, text: string): Promise<unknown> {
  const source = await parseSource(file, text).catch(() => undefined);
  return source?.value;
}
