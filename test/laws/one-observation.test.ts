import { afterAll, expect, it } from 'vitest';
import { repeatsInFull, repetitions } from '../../src/testing/support/repetitions.ts';
import { readers } from './corpus.ts';
import { importReaders } from './imports-corpus.ts';
import { isIdentified } from './operators.ts';
import { tryOperator } from './pairs.ts';

const documentsPerReader = repetitions({ usual: 1, inFull: 100 });
const placesPerDocument = repetitions({ usual: 1, inFull: 100 });
let places = 0;
afterAll(() => console.log(`${places} lines and items with an id doubled`));

/** In short, one reader of each way in which things have ids. */
const inShort = /^(?:claude|openai-chat|anthropic-messages|openai-responses|langgraph|mcp-proxy)$/;
const tried = repeatsInFull ? [...readers, ...importReaders] : readers.filter(({ name }) => inShort.test(name));

it.each(tried.map((reader) => [reader.name, reader] as const))(
  'a thing with an id that arrives again changes no verdict, number of calls or sum: %s',
  async (_, reader) => {
    const sampled = { ...reader, documents: reader.documents.slice(0, documentsPerReader) };
    const { pairs, violations } = await tryOperator(sampled, 'double', placesPerDocument, isIdentified);
    places += pairs;
    expect(violations).toEqual([]);
  },
  600_000,
);
