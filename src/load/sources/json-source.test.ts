import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJsonSource } from './json-source.ts';
import type { DataPath } from './parsed-source.ts';

/** A comment makes it read by the other parser. */
const withComment = (text: string): string => `${text}\n// end`;

function pathsIn(value: unknown, path: DataPath = []): DataPath[] {
  if (typeof value !== 'object' || value === null) return [path];
  const inside = Object.entries(value).flatMap(([key, part]) =>
    pathsIn(part, [...path, Array.isArray(value) ? Number(key) : key]),
  );
  return [path, [...path, 'missing', 0], ...inside];
}

describe('parseJsonSource', () => {
  it('gives any plain JSON the value and the positions that it has with a comment', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), fc.constantFrom(undefined, 2), (value, indent) => {
        const text = ` ${JSON.stringify(value, null, indent)}`;
        const commented = parseJsonSource('a.json', withComment(text));
        expect(parseJsonSource('a.json', text).value).toEqual(commented.value);
        for (const path of pathsIn(commented.value))
          expect(parseJsonSource('a.json', text).locate(path)).toEqual(commented.locate(path));
      }),
      { seed: 11, numRuns: 300 },
    );
  });

  it('gives the same positions however many are wanted', () => {
    const text = JSON.stringify(
      { list: Array.from({ length: 30 }, (_, index) => ({ a: index, 'b"\\': '],}' })) },
      null,
      1,
    );
    const plain = parseJsonSource('a.json', text);
    const commented = parseJsonSource('a.json', withComment(text));
    const paths = pathsIn(plain.value);
    expect(paths.map((path) => plain.locate(path))).toEqual(paths.map((path) => commented.locate(path)));
  });
});
