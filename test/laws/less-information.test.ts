import { afterAll, describe, expect, it } from 'vitest';
import { repetitions } from '../../src/testing/support/repetitions.ts';
import { readers } from './corpus.ts';
import { operatorNames } from './operators.ts';
import { tryOperator } from './pairs.ts';
import { Tally } from './tally.ts';

const placesPerDocument = repetitions({ usual: 2, inFull: 150 });
const tally = new Tally();
afterAll(() => console.log(tally.table()));

describe.each(readers.map((reader) => [reader.name, reader] as const))('a document of %s', (name, reader) => {
  it.each(operatorNames)(
    'is never greener after: %s',
    async (operator) => {
      const tried = await tryOperator(reader, operator, placesPerDocument);
      tally.add(name, operator, tried);
      expect(tried.violations).toEqual([]);
    },
    600_000,
  );
});
