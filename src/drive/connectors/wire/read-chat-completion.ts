import { isRecord } from '../../../shared/json.ts';
import type { ReadAnswer } from './open-provider-connector.ts';
import { readMessage } from './read-message.ts';
import { usageIn } from './token-usage.ts';

/** The first of several answers, in whatever order they come. */
export function firstChoice(choices: readonly unknown[]): unknown {
  return choices.find((choice) => isRecord(choice) && choice.index === 0) ?? choices[0];
}

/** Reads a chat completion as OpenAI writes it; undefined for what is none. */
export function readChatCompletion(document: unknown): ReadAnswer | undefined {
  if (!isRecord(document) || !Array.isArray(document.choices)) return undefined;
  const choice = firstChoice(document.choices);
  const message = isRecord(choice) ? readMessage(choice.message ?? choice.text) : undefined;
  if (!message) return undefined;
  return {
    messages: [{ ...message, role: 'assistant' }],
    tokenUsage: usageIn(document),
    ...(typeof document.model === 'string' && { model: document.model }),
  };
}
