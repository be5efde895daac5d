import type { Loss } from '../../domain/loss.ts';
import type { Finish, WirePart } from './codec.ts';

/** How the providers, and other servers that speak their APIs, say that a reply ended; any other word is unknown. */
const finishes: ReadonlyMap<string, Finish> = new Map([
  ...words('stop', 'stop', 'eos', 'eos_token', 'stop_sequence', 'end_turn', 'completed', 'COMPLETE', 'STOP'),
  ...words('tool-calls', 'tool_calls', 'tool-calls', 'tool_use', 'function_call'),
  ...words('length', 'length', 'max_tokens', 'max_output_tokens', 'MAX_TOKENS', 'model_context_window_exceeded'),
  ...words('content-filter', 'content_filter', 'content-filter', 'content_filtered', 'guardrail_intervened', 'refusal'),
  ...words('content-filter', 'SAFETY', 'RECITATION', 'LANGUAGE', 'BLOCKLIST', 'PROHIBITED_CONTENT', 'SPII'),
  ...words('content-filter', 'IMAGE_SAFETY'),
  ...words('pause', 'pause_turn', 'compaction'),
]);

function words(finish: Finish, ...spellings: readonly string[]): (readonly [string, Finish])[] {
  return spellings.map((word) => [word, finish]);
}

/** The meaning of a provider's word; some servers say `stop` although they ask for tools. */
export function finishOf(word: string, parts: readonly WirePart[]): Finish {
  const finish = finishes.get(word) ?? 'other';
  if (finish !== 'stop') return finish;
  // Calls that have a result were run by the provider.
  const answered = new Set(parts.flatMap((part) => (part.kind === 'result' ? [part.result.callId] : [])));
  return parts.some((part) => part.kind === 'call' && !answered.has(part.call.callId)) ? 'tool-calls' : 'stop';
}

const lost: Readonly<Partial<Record<Finish, string>>> = {
  length: 'the reply was cut at its longest length',
  'content-filter': 'the provider held back a part of the reply',
  pause: 'the model only paused',
  other: 'the reply ended in an unknown way',
};

/** The parts that a finish reason promises and that are not there. */
export function finishGaps(word: string | undefined, hasCalls: boolean, place = 'finish reason'): Loss[] {
  if (word === undefined) return [];
  const finish = finishes.get(word) ?? 'other';
  const reason = lost[finish];
  if (reason !== undefined) return [{ channels: ['answers', 'tool-calls'], reason: `${reason} (${word})`, place }];
  if (finish !== 'tool-calls' || hasCalls) return [];
  return [
    { channels: ['tool-calls'], reason: `the reply says that it calls tools and holds no call (${word})`, place },
  ];
}

/** The gap of a reply that does not say how it ended. */
export const endless: Loss = {
  channels: ['answers', 'tool-calls'],
  reason: 'the reply does not say how it ended',
  place: 'finish reason',
};
