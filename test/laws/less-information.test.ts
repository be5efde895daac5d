import { afterAll, describe, expect, it } from 'vitest';
import { repeatsInFull, repetitions } from '../../src/testing/support/repetitions.ts';
import { readers } from './corpus.ts';
import { operatorNames } from './operators.ts';
import { tryOperator } from './pairs.ts';
import { Tally } from './tally.ts';

const documentsPerReader = repetitions({ usual: 2, inFull: 100 });
const placesPerDocument = repetitions({ usual: 1, inFull: 60 });
const tally = new Tally();
afterAll(() => console.log(tally.table()));

describe.each(readers.map((reader) => [reader.name, reader] as const))('a document of %s', (name, reader) => {
  it.each(operatorNames)(
    'is never greener after: %s',
    async (operator) => {
      const sampled = { ...reader, documents: reader.documents.slice(0, documentsPerReader) };
      const tried = await tryOperator(sampled, operator, placesPerDocument);
      tally.add(name, operator, tried);
      expect(tried.violations).toEqual([]);
    },
    600_000,
  );
});

it.runIf(repeatsInFull)('every entry that excuses a reader is needed', () => {
  expect(tally.idleEntries()).toEqual([]);
});
