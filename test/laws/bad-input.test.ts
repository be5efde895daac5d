import { afterAll, describe, expect, it } from 'vitest';
import { repeatsInFull } from '../../src/testing/support/repetitions.ts';
import { reportIn, type Spoiled, spoiled } from './bad-input.ts';
import { readers } from './corpus.ts';
import { importReaders } from './imports-corpus.ts';
import type { Reader } from './reader.ts';

/** In short, one reader of each way in which bytes come in; files are damaged in `damaged-files.test.ts` too. */
const inShort =
  /^(?:claude|acp|openai-chat|anthropic-messages, streamed|models\/gemini|http, streamed|langgraph|a2a|gateway\/gemini|mcp-proxy|mcp-client|called\/http)$/;
const tried = repeatsInFull ? [...readers, ...importReaders] : readers.filter(({ name }) => inShort.test(name));
const rows: string[] = [];
afterAll(() =>
  console.log(['How each reader reported:', spoiled.map(({ name }) => name).join(', '), ...rows].join('\n')),
);

/** In short, each reader gets data without end and one of the other ways, and all of them are tried. */
function chosenFor(index: number): readonly Spoiled[] {
  const isChosen = ({ name }: Spoiled, place: number): boolean =>
    name === 'nested without end' || place === index % spoiled.length;
  return repeatsInFull ? spoiled : spoiled.filter(isChosen);
}

function isExempt({ exempt = {} }: Spoiled, reader: string): boolean {
  return Object.values(exempt).some((readersOf) => readersOf.test(reader));
}

/** What a reader says of a document in each way of spoiling it. */
async function reportsOf(reader: Reader, ways: readonly Spoiled[]): Promise<string[]> {
  await using _server = await reader.open?.();
  const reports: string[] = [];
  const documents = reader.documents.slice(0, repeatsInFull ? 3 : 1);
  for (const { text, read } of documents)
    for (const way of ways) {
      const written = way.of(text);
      const report = written === text ? 'unchanged' : reportIn(await read(written));
      const isFine = !way.isNoticed || isExempt(way, reader.name);
      reports.push(report ?? (isFine ? 'nothing' : `${way.name}: NOTHING`));
    }
  return reports;
}

/** A document of 100 MB: most of it is one text. */
function huge(text: string): string {
  const words = 'x'.repeat(100_000_000);
  const at = /"(?:[^"\\\n]* )[^"\\\n]*(?=")/.exec(text);
  return at ? `${text.slice(0, at.index + 1)}${words}${text.slice(at.index + 1)}` : `${text}${words}`;
}

/** Of files, a document and spans: they take half a minute each. */
const ofFiles = /^import promptfoo$|^otlp mastra$/;
const withHuge = [...readers, ...importReaders.filter(({ name }) => ofFiles.test(name))];

describe.runIf(repeatsInFull)('a document of 100 MB', () => {
  it.each(withHuge.map((reader) => [reader.name, reader] as const))(
    'is read or reported: %s',
    async (name, reader) => {
      await using _server = await reader.open?.();
      const [document] = reader.documents;
      if (!document) throw new Error('The reader has no document.');
      const reading = await document.read(huge(document.text));
      const report = reportIn(reading);
      rows.push(`${name.padEnd(30)}100 MB: ${report ?? 'read'}`);
      expect(report !== undefined || reading.trials.size > 0).toBe(true);
    },
    300_000,
  );
});

it.each(tried.map((reader, index) => [reader.name, reader, index] as const))(
  'reports documents that it cannot read, and goes on: %s',
  async (name, reader, index) => {
    const reports = await reportsOf(reader, chosenFor(index));
    rows.push(`${name.padEnd(30)}${reports.join(', ')}`);
    expect(reports.filter((report) => report.endsWith('NOTHING'))).toEqual([]);
  },
  120_000,
);
