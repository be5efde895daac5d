import { afterAll, expect, it } from 'vitest';
import { repeatsInFull, repetitions } from '../../src/testing/support/repetitions.ts';
import { readers } from './corpus.ts';
import { importReaders } from './imports-corpus.ts';
import { tryNewKeys } from './new-keys.ts';

const placesPerDocument = repetitions({ usual: 1, inFull: 80 });
let places = 0;
afterAll(() => console.log(`${places} new keys tried`));

/** Imported streams are read by the readers of streams. */
const tried = [...readers, ...importReaders.filter(({ isStream }) => repeatsInFull || !isStream)];

it.each(tried.map((reader) => [reader.name, reader] as const))(
  'keys that are new change nothing: %s',
  async (_, reader) => {
    const documents = repeatsInFull ? reader.documents : reader.documents.slice(0, 1);
    const found = await tryNewKeys({ ...reader, documents }, placesPerDocument);
    places += found.tried;
    expect(found.changes).toEqual([]);
  },
  600_000,
);
