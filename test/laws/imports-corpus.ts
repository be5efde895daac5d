import type { FinishedTrial } from '../../src/keep/store/store.ts';
import { agentStreams } from '../../src/load/imports/formats/agent-streams.ts';
import { type CorpusDocument, importCorpus } from '../../src/testing/fakes/load/import-corpus.ts';
import type { Reader, Reading, ReadTrial } from './reader.ts';

/** Each convention of OTLP is a reader by itself. */
function readerOf({ format, name }: CorpusDocument): string {
  return format === 'otlp' ? `otlp ${name.replace('.json', '')}` : `import ${format}`;
}

async function readingOf(document: CorpusDocument, text: string): Promise<Reading> {
  const { trials, problems } = await document.read(text);
  const named = trials.map(({ record, trace }): [string, ReadTrial] => [keyOf(record), { trace, record }]);
  return { trials: new Map(named), hasProblems: problems.problemCount > 0 };
}

function keyOf({ scenario, caseId, repeat, variant }: FinishedTrial['record']): string {
  return `${scenario} ${caseId} ${repeat} ${JSON.stringify(variant)}`;
}

/** Every import format, and OTLP in every convention, with documents that real programs wrote. */
export const importReaders: readonly (Reader & { readonly isStream: boolean })[] = [
  ...new Set(importCorpus.map(readerOf)),
].map((name) => ({
  name,
  isStream: agentStreams.some((format) => name === `import ${format.name}`),
  documents: importCorpus
    .filter((document) => readerOf(document) === name)
    .map((document) => ({ name: document.name, text: document.text, read: (text) => readingOf(document, text) })),
}));
