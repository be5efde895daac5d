import { afterAll, describe, expect, it } from 'vitest';
import { importFormats } from '../../src/load/imports/formats/index.ts';
import { importCorpus } from '../../src/testing/fakes/load/import-corpus.ts';
import { repeatsInFull, repetitions } from '../../src/testing/support/repetitions.ts';
import { documentOf } from './document.ts';
import { importReaders } from './imports-corpus.ts';
import { distortions, operatorNames } from './operators.ts';
import { tryOperator } from './pairs.ts';
import { Tally } from './tally.ts';
import { importsUndetectable, importUndetectable } from './undetectable-imports.ts';

const placesPerDocument = repetitions({ usual: 1, inFull: 40 });
const tally = new Tally();
afterAll(() => console.log(tally.table()));

describe('imported documents', () => {
  it('are there for every format', () => {
    const formats = new Set(importCorpus.map(({ format }) => format));
    expect(importFormats.map(({ name }) => name).filter((name) => !formats.has(name))).toEqual([]);
  });
});

it.runIf(repeatsInFull)('of every entry that nothing could notice, the corpus has an example', () => {
  const all = importReaders.flatMap(({ name, documents }) =>
    documents.flatMap(({ text }) =>
      operatorNames.flatMap((operator) =>
        distortions(documentOf(text), operator).map((distortion) => importUndetectable(name, distortion)),
      ),
    ),
  );
  const used = new Set(all);
  expect(importsUndetectable.filter((entry) => !used.has(entry))).toEqual([]);
});

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
