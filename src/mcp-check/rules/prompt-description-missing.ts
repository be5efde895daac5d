import { isRecord } from '../../shared/json.ts';
import type { ListedItem } from '../listed-server.ts';
import type { Rule } from '../rule.ts';
import { quoted } from '../words.ts';

/** Prompts that users cannot tell by their lists. */
export const promptDescriptionMissing: Rule = {
  id: 'prompt-description-missing',
  severity: 'info',
  summary: 'Prompts or their arguments have no description',
  why: 'Users choose prompts from a list, and fill in their arguments, by what is written there.',
  fix: 'Give each prompt and each of its arguments a `description`.',
  check({ prompts }) {
    const silent = prompts.flatMap((prompt) => undescribed(prompt));
    return silent.length === 0 ? [] : [{ message: `Nothing is said about ${quoted(silent)}.` }];
  },
};

function undescribed({ name, definition }: ListedItem): string[] {
  const args = Array.isArray(definition.arguments) ? definition.arguments.filter(isRecord) : [];
  const silentArgs = args.filter(({ description }) => !isSaid(description)).map((arg) => `${name}.${String(arg.name)}`);
  return isSaid(definition.description) ? silentArgs : [name, ...silentArgs];
}

function isSaid(text: unknown): boolean {
  return typeof text === 'string' && text.trim() !== '';
}
