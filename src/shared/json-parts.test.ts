import { expect, it } from 'vitest';
import { jsonPartsOf } from './json-parts.ts';

it.each([
  ['nothing', []],
  ['{"a":1}', [{ a: 1 }]],
  ['Here:\n```json\n[1, {"b": "}"}]\n```\nand {"c":"\\"{"}.', [[1, { b: '}' }], { c: '"{' }]],
  ['{not json} [1]', [[1]]],
  ['{"open": [1, 2]', [[1, 2]]],
  ['{ "a": "never closed }', []],
])('the JSON in %j', (text, parts) => {
  expect(jsonPartsOf(text)).toEqual(parts);
});

it('ends soon in a text of brackets', () => {
  expect(jsonPartsOf('['.repeat(200_000))).toEqual([]);
});
