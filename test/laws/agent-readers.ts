import { agentStreamCorpus } from '../../src/testing/fakes/agents/agent-stream-corpus.ts';
import { atFixedTimes, oneTrial, type Reader } from './reader.ts';

/** Streams of an agent, as a trial reads them while the agent runs. */
function streamReader(format: string): Reader {
  const streams = agentStreamCorpus.filter((stream) => stream.format === format);
  return {
    name: format,
    documents: streams.map(({ name, lines, traceOf }) => ({
      name,
      text: `${lines.join('\n')}\n`,
      read: async (text) => oneTrial(atFixedTimes(traceOf(linesOf(text)))),
    })),
  };
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}

/** Readers of the output of agents, with streams that real agents printed. */
export const agentReaders: readonly Reader[] = [...new Set(agentStreamCorpus.map(({ format }) => format))].map(
  streamReader,
);
