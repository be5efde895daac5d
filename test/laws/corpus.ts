import type { TrialRecord } from '../../src/domain/record.ts';
import type { Trace } from '../../src/domain/trace.ts';
import { agentStreamCorpus } from '../../src/testing/fakes/agents/agent-stream-corpus.ts';

/** A trial that a reader made; with a record where the document has a verdict of its own. */
export interface ReadTrial {
  readonly trace: Trace;
  readonly record: TrialRecord | undefined;
}

/** What a reader made of a document. */
export interface Reading {
  /** By what they are called in the run. */
  readonly trials: ReadonlyMap<string, ReadTrial>;
  /** Whether it reported that something could not be read. */
  readonly hasProblems: boolean;
}

interface CorpusDocument {
  readonly name: string;
  readonly text: string;
  read(text: string): Promise<Reading>;
}

/** A reader with real documents. */
export interface Reader {
  readonly name: string;
  readonly documents: readonly CorpusDocument[];
}

/** Streams of an agent, as a trial reads them while the agent runs. */
function streamReader(format: string): Reader {
  const streams = agentStreamCorpus.filter((stream) => stream.format === format);
  return {
    name: format,
    documents: streams.map(({ name, lines, traceOf }) => ({
      name,
      text: `${lines.join('\n')}\n`,
      read: async (text) => ({
        trials: new Map([['task', { trace: atFixedTimes(traceOf(linesOf(text))), record: undefined }]]),
        hasProblems: false,
      }),
    })),
  };
}

/** The clock of the machine measures a trial, not the lines that its agent prints. */
function atFixedTimes(trace: Trace): Trace {
  return trace.map((event) => {
    if (event.type !== 'tool-result') return { ...event, at: event.type === 'agent-ended' ? 1_000 : 0 };
    const { durationMs: _, ...untimed } = event;
    return { ...untimed, at: 0 };
  });
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}

/** Readers that make trials of documents, with documents that real programs wrote. */
export const readers: readonly Reader[] = [...new Set(agentStreamCorpus.map(({ format }) => format))].map(streamReader);
