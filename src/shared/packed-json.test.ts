import fc from 'fast-check';
import { expect, it } from 'vitest';
import { packJson, unpackJson } from './packed-json.ts';

it('gives back what it was given, also as JSON', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const same = JSON.parse(JSON.stringify(value));
      expect(unpackJson(JSON.parse(JSON.stringify(packJson(value))))).toEqual(same);
    }),
    { seed: 7, numRuns: 200 },
  );
});

it('writes a text and a list of keys once', () => {
  const rows = Array.from({ length: 100 }, (_, index) => ({
    index,
    scenario: 'a scenario with a name',
    left: undefined,
  }));
  const packed = packJson(rows);
  expect(packed).toMatchObject({ texts: ['a scenario with a name'], shapes: [['index', 'scenario']] });
});
