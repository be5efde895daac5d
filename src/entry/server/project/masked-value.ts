import { type DataPath, valueAt } from '../../../load/sources/parsed-source.ts';
import { withChange } from './data-changes.ts';
import { secretPlaces } from './secret-places.ts';

/** Stands for what is not shown. */
export const mask = '••••••••';

/** A value of the config without the secrets that are written out in it. */
export function maskValue<Value>(value: Value): Value {
  return secretPlaces(value).reduce<Value>((masked, place) => {
    const { value: text, secret, start, path } = place;
    const shown = `${text.slice(0, start)}${mask}${text.slice(start + secret.length)}`;
    return withChange(masked, { path, value: shown }) as Value;
  }, value);
}

/** What was written over a masked value: where it has a mask, the secret of before; paths that have none to give are told. */
export function unmaskValue(
  written: unknown,
  before: unknown,
): { readonly value: unknown; readonly unknown: readonly DataPath[] } {
  const shown = maskValue(before);
  let value = written;
  const unknown: DataPath[] = [];
  for (const path of maskedPaths(written, [])) {
    if (valueAt(shown, path) === valueAt(written, path))
      value = withChange(value, { path, value: valueAt(before, path) });
    else unknown.push(path);
  }
  return { value, unknown };
}

function maskedPaths(value: unknown, path: DataPath): DataPath[] {
  if (typeof value === 'string') return value.includes(mask) ? [path] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) => maskedPaths(part, [...path, key]));
}
