import { parseJsonSource } from '../../sources/json-source.ts';
import type { DatasetConfig } from '../formats/native-schema.ts';

type CellType = DatasetConfig['types'][string];

interface ReadCell {
  readonly value: unknown;
}

/** How the types are called in messages. */
export const typeWords: Readonly<Record<CellType, string>> = {
  string: 'text',
  number: 'a number',
  boolean: '`true` or `false`',
  json: 'JSON',
};

/** A cell as the value that its column's type makes of it; undefined when it is none. */
export function readCell(text: string, type: CellType): ReadCell | undefined {
  if (type === 'string') return { value: text };
  if (type === 'number')
    return text.trim() !== '' && Number.isFinite(Number(text)) ? { value: Number(text) } : undefined;
  if (type === 'boolean') return text === 'true' || text === 'false' ? { value: text === 'true' } : undefined;
  return readJson(text);
}

/** True for columns that hold a list of criteria: a JSON array, or one criterion per line. */
export function isListColumn(column: string): boolean {
  return column === 'passCriteria' || column === 'failCriteria';
}

/** The criteria of a cell. */
export function readList(text: string): ReadCell {
  const array = isJsonArray(text) ? readJson(text) : undefined;
  return (
    array ?? {
      value: text
        .split('\n')
        .map((part) => part.trim())
        .filter((part) => part !== ''),
    }
  );
}

/** Offset in a cell of a character (from 1) of the criterion with the given number. */
export function offsetInList(text: string, index: number, character: number): number {
  if (isJsonArray(text) && readJson(text)) {
    const { line, column } = parseJsonSource('', text).locateInString([index], character);
    return (lineStarts(text)[line - 1] ?? 0) + column - 1;
  }
  const written = lineStarts(text).filter((start) => text.slice(start).split('\n', 1)[0]?.trim() !== '');
  const start = written[index] ?? 0;
  return start + text.slice(start).search(/\S/) + character - 1;
}

function lineStarts(text: string): number[] {
  return [0, ...[...text.matchAll(/\n/g)].map((match) => match.index + 1)];
}

function isJsonArray(text: string): boolean {
  return text.trimStart().startsWith('[');
}

function readJson(text: string): ReadCell | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}
