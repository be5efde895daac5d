import { isRecord } from '../../shared/json.ts';
import { fillTexts } from '../../shared/templates.ts';
import type { ConversationConfig } from './conversation-config.ts';

/**
 * The config of a case: `{{name}}` in messages and in texts of personas stands for that field of the case's input. A
 * name that the input does not have stays as it is written.
 */
export function configOfCase(config: ConversationConfig, input: unknown): ConversationConfig {
  if (!isRecord(input)) return config;
  const { messages, prompts, userMessages, instructions, personas } = config;
  const filled = fillTexts({ messages, prompts, userMessages, instructions, personas }, input);
  return { ...config, ...(filled as Partial<ConversationConfig>) };
}
