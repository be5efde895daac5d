import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { channels } from '../../src/domain/capability.ts';
import { coverageOf } from '../../src/testing/support/coverage-of.ts';
import { repeatsInFull } from '../../src/testing/support/repetitions.ts';
import { readers } from './corpus.ts';
import { importReaders } from './imports-corpus.ts';
import type { Reader, ReadTrial } from './reader.ts';
import { judged, part } from './subject.ts';

const table = new URL('real-documents.txt', import.meta.url);

/** Assertions that hold for every document, and so are errors where too little of it was read. */
const parts = {
  calls: part('tool-not-called', { tool: 'delete_everything' }),
  failures: part('no-failed-calls'),
  words: part('not-contains', { text: 'delete_everything' }),
  tokens: part('token-budget', { maxTokens: 1_000_000_000 }),
};

/** The verdicts on a trial: its recorded one, those of the assertions, and the channels of which something was lost. */
async function rowOf({ trace, record, fault = record?.fault ?? undefined }: ReadTrial): Promise<string> {
  const { record: own } = await judged(trace, Object.values(parts), fault);
  const states = Object.entries(parts).map(([name, { id }]) => {
    const state = own.evaluatorResults.find((result) => result.id === id)?.state ?? fault?.code ?? 'none';
    return `${name} ${state}`;
  });
  const coverage = coverageOf(trace);
  const lost = channels.filter((channel) => coverage[channel].state === 'partial');
  return [
    record?.outcome ?? 'no verdict',
    ...states,
    lost.length > 0 ? `lost: ${lost.join(', ')}` : 'nothing lost',
  ].join('; ');
}

async function rowsOf({ name, documents, open }: Reader): Promise<string[]> {
  await using _server = await open?.();
  const rows: string[] = [];
  for (const { name: document, text, read } of documents) {
    for (const [trial, found] of (await read(text)).trials)
      rows.push(`${name} | ${document} | ${trial}: ${await rowOf(found)}`);
  }
  return rows;
}

/** The verdicts on every real document are written down: a reader that becomes stricter or blinder changes a line. */
describe('verdicts on real documents', () => {
  const all = [...readers, ...importReaders.filter(({ isStream }) => !isStream)];

  it.runIf(!repeatsInFull)('are those of the table, for one document of each reader that needs no server', async () => {
    const expected = readFileSync(table, 'utf8').split('\n');
    for (const reader of all.filter(({ open }) => !open)) {
      const rows = await rowsOf({ ...reader, documents: reader.documents.slice(0, 1) });
      expect(expected).toEqual(expect.arrayContaining(rows));
    }
  });

  it.runIf(repeatsInFull)('are those of the table', async () => {
    const rows: string[] = [];
    for (const reader of all) rows.push(...(await rowsOf(reader)));
    await expect(`${rows.join('\n')}\n`).toMatchFileSnapshot(table.pathname);
  });
});
