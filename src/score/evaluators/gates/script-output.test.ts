import { expect, it } from 'vitest';
import { fitsInRecord, printedObject } from './script-output.ts';

it('reads the object that a script printed, also behind a byte order mark, and nothing else', () => {
  expect(printedObject('\uFEFF{"a": 1}\n')).toEqual({ a: 1 });
  expect(printedObject('{"a": "x\uFEFFy"}')).toEqual({ a: 'x\uFEFFy' });
  for (const other of ['[1]', 'null', 'done', '', '{"a": 1} done']) expect(printedObject(other)).toBeUndefined();
});

it('keeps output of a limited size and depth in the record', () => {
  const nested = (depth: number): unknown => (depth === 0 ? 'x' : [nested(depth - 1)]);
  for (const small of ['x'.repeat(65_534), null, undefined, 1, { a: [1, 'b'] }, nested(100)]) {
    expect(fitsInRecord(small)).toBe(true);
  }
  for (const large of ['x'.repeat(65_535), nested(101), { a: nested(100) }]) expect(fitsInRecord(large)).toBe(false);
});
