import { isRecord } from '../../shared/json.ts';
import type { ConversationConfig } from './conversation-config.ts';

type Fields = Readonly<Record<string, unknown>>;
/** Makes a value with the fields of a case in it. */
type Fill<Value> = (fields: Fields) => Value;

const placeholder = /\{\{\s*([\w.-]+)\s*\}\}/g;

/**
 * Gives the config of each case: `{{name}}` in messages and in texts of personas stands for that field of the
 * case's input. A name that the input does not have stays as it is written.
 */
export function caseFiller(config: ConversationConfig): (input: unknown) => ConversationConfig {
  const { messages, prompts, userMessages, instructions, personas } = config;
  const fill = compile({ messages, prompts, userMessages, instructions, personas });
  if (!fill) return () => config;
  return (input) => (isRecord(input) ? { ...config, ...fill(input) } : config);
}

/** Undefined for what is the same in every case, which is most of it. */
function compile<Value>(value: Value): Fill<Value> | undefined {
  if (typeof value === 'string') return compileText(value) as Fill<Value> | undefined;
  if (Array.isArray(value)) return compileList(value) as Fill<Value> | undefined;
  return isRecord(value) ? (compileRecord(value) as Fill<Value> | undefined) : undefined;
}

function compileList(list: readonly unknown[]): Fill<unknown[]> | undefined {
  const fills = list.map(compile);
  if (fills.every((fill) => fill === undefined)) return undefined;
  return (fields) => list.map((item, index) => fills[index]?.(fields) ?? item);
}

function compileRecord(record: Fields): Fill<Fields> | undefined {
  const fills = Object.entries(record).flatMap(([key, value]) => {
    const fill = compile(value);
    return fill ? [[key, fill] as const] : [];
  });
  if (fills.length === 0) return undefined;
  return (fields) => {
    const filled: Record<string, unknown> = { ...record };
    for (const [key, fill] of fills) filled[key] = fill(fields);
    return filled;
  };
}

/** In one pass: braces inside the data stay data. */
function compileText(text: string): Fill<string> | undefined {
  if (text.search(placeholder) < 0) return undefined;
  return (fields) =>
    text.replace(placeholder, (whole, name: string) => {
      if (!Object.hasOwn(fields, name)) return whole;
      const field = fields[name];
      return typeof field === 'string' ? field : (JSON.stringify(field) ?? whole);
    });
}
