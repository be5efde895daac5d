import { isRecord } from '../../../shared/json.ts';
import type { ReadAnswer } from './open-provider-connector.ts';
import { readMessage } from './read-message.ts';
import { usageIn } from './token-usage.ts';

/** Reads a chat completion as OpenAI writes it; undefined for what is none. */
export function readChatCompletion(document: unknown): ReadAnswer | undefined {
  if (!isRecord(document) || !Array.isArray(document.choices)) return undefined;
  const choice: unknown = document.choices[0];
  const message = isRecord(choice) ? readMessage(choice.message ?? choice.text) : undefined;
  if (!message) return undefined;
  return {
    messages: [{ ...message, role: 'assistant' }],
    tokenUsage: usageIn(document),
    ...(typeof document.model === 'string' && { model: document.model }),
  };
}
