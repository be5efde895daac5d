import type { Loss } from '../../domain/loss.ts';
import type { Finish, WirePart } from './codec.ts';

/**
 * How providers, servers that speak their APIs, agents and libraries say that a reply ended, in lower case with
 * underscores; any other word is unknown.
 */
const finishes: ReadonlyMap<string, Finish> = new Map([
  ...words('stop', 'stop', 'stopped', 'eos', 'eos_token', 'stop_sequence', 'end', 'end_turn', 'complete', 'completed'),
  ...words('stop', 'finish', 'finished', 'success'),
  ...words('tool-calls', 'tool_calls', 'tool_call', 'tool_use', 'tool', 'function_call', 'function_calls'),
  ...words('length', 'length', 'max_tokens', 'max_output_tokens', 'model_context_window_exceeded', 'incomplete'),
  ...words('content-filter', 'content_filter', 'content_filtered', 'guardrail_intervened', 'refusal'),
  ...words('content-filter', 'safety', 'recitation', 'language', 'blocklist', 'prohibited_content', 'spii'),
  ...words('content-filter', 'image_safety'),
  ...words('pause', 'pause_turn', 'compaction'),
]);

/** Words of libraries that stand for none. */
const noWords: ReadonlySet<string> = new Set(['', 'none', 'null', 'unknown', 'finish_reason_unspecified']);

function words(finish: Finish, ...spellings: readonly string[]): (readonly [string, Finish])[] {
  return spellings.map((word) => [word, finish]);
}

function meaningOf(word: string): Finish {
  return finishes.get(plainWord(word)) ?? 'other';
}

function plainWord(word: string): string {
  // Most providers write it so.
  if (finishes.has(word)) return word;
  return word
    .trim()
    .replace(/(?<=[a-z])(?=[A-Z])/g, '_')
    .toLowerCase()
    .replace(/[\s-]+/g, '_');
}

/** The meaning of a provider's word; some servers say `stop` although they ask for tools. */
export function finishOf(word: string, parts: readonly WirePart[]): Finish {
  const finish = meaningOf(word);
  if (finish !== 'stop') return finish;
  if (!parts.some(({ kind }) => kind === 'call')) return 'stop';
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

/** Whether a word says that more of the reply was meant. */
export function isCutShort(word: unknown): boolean {
  return typeof word === 'string' && ['length', 'content-filter', 'pause'].includes(meaningOf(word));
}

/** The parts that a finish reason promises and that are not there. */
export function finishGaps(word: string | undefined, hasCalls: boolean, place = 'finish reason'): Loss[] {
  if (word === undefined || noWords.has(plainWord(word))) return [];
  const finish = meaningOf(word);
  const reason = lost[finish];
  if (reason !== undefined) return [{ channels: ['answers', 'tool-calls'], reason: `${reason} (${word})`, place }];
  if (finish !== 'tool-calls' || hasCalls) return [];
  const missing = `the reply says that it calls tools and holds no call (${word})`;
  return [{ channels: ['tool-calls'], reason: missing, place }];
}

/** The gap of a reply that does not say how it ended. */
export const endless: Loss = {
  channels: ['answers', 'tool-calls'],
  reason: 'the reply does not say how it ended',
  place: 'finish reason',
};
