import type { Rows } from './rows.ts';

const lettersAtOnce = 65_536;
const indent = '  ';

/**
 * An object as indented JSON in pieces, each of which ends between two values: the text of a document with many rows takes many
 * times their memory. The same text as that of `JSON.stringify`.
 */
export function* jsonPieces(content: object): Generator<string, void> {
  let piece = '';
  for (const part of objectParts(content)) {
    piece += part;
    if (piece.length < lettersAtOnce) continue;
    yield piece;
    piece = '';
  }
  yield `${piece}\n`;
}

function* objectParts(content: object): Generator<string, void> {
  let start = '{';
  for (const [key, value] of Object.entries(content)) {
    if (value === undefined) continue;
    yield `${start}\n${indent}${JSON.stringify(key)}: `;
    if (isRows(value)) yield* rowParts(value);
    else yield indented(value, indent);
    start = ',';
  }
  yield start === '{' ? '{}' : '\n}';
}

function* rowParts(rows: Rows<unknown>): Generator<string, void> {
  let start = '[';
  for (const row of rows) {
    yield `${start}\n${indent}${indent}${indented(row, indent + indent)}`;
    start = ',';
  }
  yield start === '[' ? '[]' : `\n${indent}]`;
}

function indented(value: unknown, by: string): string {
  return JSON.stringify(value, null, 2).replaceAll('\n', `\n${by}`);
}

function isRows(value: unknown): value is Rows<unknown> {
  return typeof value === 'object' && value !== null && Symbol.iterator in value;
}
