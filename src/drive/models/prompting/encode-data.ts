import { isRecord } from '../../../shared/json.ts';

const deepestLevel = 64;

/** Characters that look like markup, reorder what is read, or are not seen at all. */
const misleading = /[<>&\u007F-\u009F\p{Default_Ignorable_Code_Point}\p{Cf}\p{Co}\p{Zl}\p{Zp}]/gu;

/** A value as one line of JSON in which nothing is hidden and nothing looks like a tag. */
export function encodeData(value: unknown): string {
  return (JSON.stringify(value) ?? 'null').replace(misleading, escapeUnits);
}

/** A copy without secrets in texts, keys and numbers, and no deeper than JSON can be written. */
export function redactData(value: unknown, redact: (text: string) => string, level = 0): unknown {
  if (typeof value === 'string') return redact(value);
  if (typeof value === 'number') return redactNumber(value, redact);
  if (typeof value !== 'object' || value === null) return value;
  if (level === deepestLevel) return `(nested deeper than ${deepestLevel} levels)`;
  if (Array.isArray(value)) return value.map((item) => redactData(item, redact, level + 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => [redact(key), redactData(field, redact, level + 1)]),
  );
}

/** Every text inside a value, and the value itself as JSON where it has parts. */
export function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (value === undefined) return [];
  return [JSON.stringify(value), ...textLeaves(value)];
}

function textLeaves(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textLeaves);
  return isRecord(value) ? Object.values(value).flatMap(textLeaves) : [];
}

function redactNumber(value: number, redact: (text: string) => string): number | string {
  const text = String(value);
  const redacted = redact(text);
  return redacted === text ? value : redacted;
}

function escapeUnits(character: string): string {
  return Array.from(
    { length: character.length },
    (_, unit) => `\\u${character.charCodeAt(unit).toString(16).padStart(4, '0')}`,
  ).join('');
}
