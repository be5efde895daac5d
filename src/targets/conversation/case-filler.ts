import { isRecord } from '../../shared/json.ts';
import type { ConversationConfig } from './conversation-config.ts';

const placeholder = /\{\{\s*([\w.-]+)\s*\}\}/g;

/**
 * Gives the config of each case: `{{name}}` in what is said and in what personas are told stands for that field of the
 * case's input. A name that the input does not have stays as it is written.
 */
export function caseFiller(config: ConversationConfig): (input: unknown) => ConversationConfig {
  const { messages, userMessages, instructions, personas } = config;
  const texts = { messages, userMessages, instructions, personas };
  if (!JSON.stringify(texts).includes('{{')) return () => config;
  return (input) => (isRecord(input) ? { ...config, ...filled(texts, input) } : config);
}

function filled<Value>(value: Value, fields: Readonly<Record<string, unknown>>): Value {
  if (typeof value === 'string') return fillText(value, fields) as Value;
  if (Array.isArray(value)) return value.map((item: unknown) => filled(item, fields)) as Value;
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, filled(part, fields)])) as Value;
}

/** In one pass, so that braces inside of the data stay data. */
function fillText(text: string, fields: Readonly<Record<string, unknown>>): string {
  return text.replace(placeholder, (whole, name: string) => {
    if (!Object.hasOwn(fields, name)) return whole;
    const field = fields[name];
    return typeof field === 'string' ? field : (JSON.stringify(field) ?? whole);
  });
}
