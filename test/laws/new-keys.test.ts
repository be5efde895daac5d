import { afterAll, expect, it } from 'vitest';
import { repeatsInFull, repetitions } from '../../src/testing/support/repetitions.ts';
import { readers } from './corpus.ts';
import { importReaders } from './imports-corpus.ts';
import { tryNewKeys } from './new-keys.ts';
import type { Reader } from './reader.ts';

const placesPerDocument = repetitions({ usual: 1, inFull: 80 });
let places = 0;
afterAll(() => console.log(`${places} new keys tried`));

/** Answers that are data from their first key on, and a suite whose reasons hold times. */
const ofOtherKeys = /^called\/|^mcp-suite$/;

/** Imported streams are read by the readers of streams. */
const tried = [...readers, ...importReaders.filter(({ isStream }) => repeatsInFull || !isStream)].filter(
  ({ name }) => !ofOtherKeys.test(name),
);

async function changesBy(reader: Reader): Promise<readonly string[]> {
  const documents = repeatsInFull ? reader.documents : reader.documents.slice(0, 1);
  const found = await tryNewKeys({ ...reader, documents }, placesPerDocument);
  places += found.tried;
  return found.changes;
}

for (const reader of tried) {
  it(
    `keys that are new change nothing: ${reader.name}`,
    async () => expect(await changesBy(reader)).toEqual([]),
    600_000,
  );
}
