import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { AssayError } from '../../../../domain/errors.ts';
import { parseSource } from '../../../../load/sources/source-file.ts';
import { changedValue, type Path } from '../../../../shared/document-edit/document-change.ts';
import { isRecord } from '../../../../shared/json.ts';
import type { CliContext } from '../../context.ts';

/** Flags that say what an entity is to be. */
export interface ValueFlags {
  readonly from?: string;
  readonly set?: readonly string[];
  readonly unset?: readonly string[];
}

/** The value that the flags make of another one. */
export async function changedBy(
  { from, set = [], unset = [] }: ValueFlags,
  before: Record<string, unknown>,
  context: CliContext,
): Promise<Record<string, unknown>> {
  if (from === undefined && set.length + unset.length === 0) {
    throw new AssayError('USAGE', 'Nothing says what to write.', {
      hint: 'Use --set key=value, --unset key, or --from with a YAML or JSON file.',
    });
  }
  let value: unknown = from === undefined ? before : await valueFrom(from, context);
  for (const each of set) {
    const [, key, text] = /^([^=]+)=(.*)$/s.exec(each) ?? [];
    if (key === undefined || text === undefined) {
      throw new AssayError('USAGE', `"${each}" is not key=value.`, {
        hint: 'Example: --set description="A hurried user"',
      });
    }
    value = changedValue(value, { kind: 'set', path: pathOf(key), value: await scalarOrData(text) });
  }
  for (const key of unset) value = changedValue(value, { kind: 'remove', path: pathOf(key) });
  if (isRecord(value)) return value;
  throw new AssayError('USAGE', 'The value is not an object with keys.', { hint: 'Write `key: value` lines.' });
}

async function valueFrom(file: string, { cwd, stdin }: CliContext): Promise<unknown> {
  const text =
    file === '-'
      ? (await stdin.setEncoding('utf8').toArray()).join('')
      : await readFile(resolve(cwd, file), 'utf8').catch((error: Error) => {
          throw new AssayError('FILE_NOT_FOUND', `${file} cannot be read: ${error.message}.`);
        });
  return (await parseSource(file === '-' ? 'stdin.yaml' : file, text)).value;
}

/** Dots lead inwards; numbers are places in lists. */
function pathOf(key: string): Path {
  return key.split('.').map((step) => (/^\d+$/.test(step) ? Number(step) : step));
}

/** YAML, so numbers, lists and objects can be written; text that is not YAML stands for itself. */
async function scalarOrData(text: string): Promise<unknown> {
  const source = await parseSource('value.yaml', `value: ${text}`).catch(() => undefined);
  return isRecord(source?.value) && Object.keys(source.value).length === 1 ? (source.value.value ?? '') : text;
}
