import { afterAll, describe, expect, it } from 'vitest';
import { repeatsInFull, repetitions } from '../../src/testing/support/repetitions.ts';
import { importReaders } from './imports-corpus.ts';
import { operatorNames } from './operators.ts';
import { tryOperator } from './pairs.ts';
import { Tally } from './tally.ts';

const placesPerDocument = repetitions({ usual: 1, inFull: 40 });
const tally = new Tally();
afterAll(() => console.log(tally.table()));

/** The streams of agents are read by the same readers in `less-information.test.ts`. */
const tried = importReaders
  .filter(({ isStream }) => repeatsInFull || !isStream)
  .map(({ documents, ...reader }) => ({ ...reader, documents: repeatsInFull ? documents : documents.slice(0, 1) }));

describe.each(tried.map((reader) => [reader.name, reader] as const))('a document of %s', (name, reader) => {
  it.each(operatorNames)(
    'is never greener after: %s',
    async (operator) => {
      const found = await tryOperator(reader, operator, placesPerDocument);
      tally.add(name, operator, found);
      expect(found.violations).toEqual([]);
    },
    600_000,
  );
});

it.runIf(repeatsInFull)('every entry that excuses a reader is needed', () => {
  expect(tally.idleEntries()).toEqual([]);
});
