import type { Loss } from '../../domain/loss.ts';
import { lost } from './losses.ts';

const forCalls = /^(?:tool_calls?|tool_use|function_calls?|tool)$/;
const wholeReplies =
  /^(?:|stop|stopped|stop_sequence|end|end_turn|eos|eos_token|finish(?:ed)?|completed?|success|none|null|other|unknown|finish_reason_unspecified)$/;

/** The missing part of a reply, by the word with which a model ended it: more was meant, or calls that are not there. */
export function lossesAtEnd(reason: unknown, hasCalls: boolean): Loss[] {
  if (reason === undefined || reason === null) return [];
  const word = String(reason).trim();
  const plain = word.toLowerCase().replace(/[\s-]+/g, '_');
  if (forCalls.test(plain)) {
    return hasCalls ? [] : [{ channels: lost.call, reason: `a reply ended with ${word}, and its calls are missing` }];
  }
  return wholeReplies.test(plain)
    ? []
    : [{ channels: lost.message, reason: `a reply is not whole: it ended with ${word}` }];
}
