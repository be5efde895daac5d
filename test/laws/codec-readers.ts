import { AssayError } from '../../src/domain/errors.ts';
import { faultOf } from '../../src/domain/outcome.ts';
import type { TraceEvent } from '../../src/domain/trace.ts';
import { answerEvents } from '../../src/drive/connectors/answer-events.ts';
import { messagesOf } from '../../src/drive/connectors/wire/wire-messages.ts';
import { namelessTool } from '../../src/drive/wire/content-blocks.ts';
import { endless } from '../../src/drive/wire/finish.ts';
import { callsOf } from '../../src/drive/wire/values.ts';
import { type WireSample, wireCorpus } from '../../src/testing/support/wire-corpus.ts';
import { atFixedTimes, oneTrial, type Reader, type Reading } from './reader.ts';

const started: TraceEvent = {
  ...{ type: 'agent-started', at: 0, seenBy: 'engine', agent: 'model', version: null, model: null },
  ...{ isolation: 'none', isScripted: false, reports: ['tool-calls'] },
} as TraceEvent;
const reportsUsage = { ...started, reports: ['tool-calls', 'usage'] } as TraceEvent;
const ended: TraceEvent = {
  ...{ type: 'agent-ended', at: 1, seenBy: 'engine', exitCode: 0, signal: null, timedOut: false },
  ...{ completed: true, reason: null },
};

/** Streams of an API that no connector and no gateway reads, by the codec alone. */
function streamReader(api: string): Reader {
  const samples = wireCorpus.filter(({ codec, isStream }) => codec.name === api && isStream);
  return {
    name: `${api}, streamed`,
    documents: samples.map((sample) => ({
      name: sample.name,
      text: `${(sample.content as unknown[]).map((event) => JSON.stringify(event)).join('\n')}\n`,
      read: async (text) => streamed(sample, text),
    })),
  };
}

function streamed({ codec }: WireSample, text: string): Reading {
  const stream = codec.openStream();
  for (const line of text.split('\n').filter((each) => each !== '')) stream.add(line);
  const reply = stream.reply();
  const isNameless = reply && callsOf(reply.parts).some(({ tool }) => tool === namelessTool);
  if (!reply || isNameless || stream.problem !== undefined || !stream.isEnded) {
    return oneTrial([started, ended], faultOf(new AssayError('MODEL_UNAVAILABLE', stream.problem ?? 'It has no end.')));
  }
  const gaps = reply.finish === undefined ? [...reply.unplaced, endless] : reply.unplaced;
  const events = answerEvents({
    messages: messagesOf(reply, ''),
    latencyMs: 100,
    gaps,
    ...(reply.usage && { usage: reply.usage }),
  });
  const trace = events.map((event) => ({ at: 0, seenBy: 'agent', ...event }) as TraceEvent);
  return oneTrial(atFixedTimes([reply.usage ? reportsUsage : started, ...trace, ended]));
}

/** Readers of streams that are only read in part elsewhere. */
export const codecReaders: readonly Reader[] = ['gemini', 'bedrock-converse'].map(streamReader);
