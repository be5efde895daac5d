import { isRecord } from '../../../shared/json.ts';

/** The facts of a conversation that a request may contain. */
export const placeholderNames = ['messages', 'message', 'conversationId', 'turn', 'model', 'threadId'] as const;
type PlaceholderName = (typeof placeholderNames)[number];

/** A value for each placeholder; undefined where there is none. */
export type PlaceholderValues = Readonly<Record<PlaceholderName, unknown>>;

/** A value with placeholders, ready to be filled in as often as needed. */
export type Template = (values: PlaceholderValues) => unknown;

const anywhere = /\{\{\s*([\w.-]+)\s*\}\}/g;
const alone = /^\{\{\s*([\w.-]+)\s*\}\}$/;

/**
 * Compiles a value with placeholders. A text that is nothing but a placeholder becomes its value, list or number
 * included; within a longer text it becomes text. A field without a value is not sent.
 */
export function compileTemplate(value: unknown): Template {
  if (typeof value === 'string') return compileText(value);
  if (Array.isArray(value)) {
    const items = value.map(compileTemplate);
    return (values) => items.map((item) => item(values));
  }
  if (!isRecord(value)) return () => value;
  const fields = Object.entries(value).map(([key, part]) => [key, compileTemplate(part)] as const);
  return (values) => Object.fromEntries(fields.map(([key, part]) => [key, part(values)]));
}

/** A text with every placeholder replaced by text, which `write` may encode. */
export function fillText(text: string, values: PlaceholderValues, write: (value: string) => string): string {
  if (!text.includes('{{')) return text;
  return text.replace(anywhere, (_, name: PlaceholderName) => write(textOf(values[name])));
}

/** Unknown placeholders and their paths. */
export function unknownPlaceholders(
  value: unknown,
  path: readonly PropertyKey[] = [],
): { readonly path: PropertyKey[]; readonly name: string }[] {
  if (typeof value === 'string') {
    const names = [...value.matchAll(anywhere)].map((match) => match[1] ?? '');
    return names.filter((name) => !isPlaceholder(name)).map((name) => ({ path: [...path], name }));
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) =>
    unknownPlaceholders(part, [...path, Array.isArray(value) ? Number(key) : key]),
  );
}

function compileText(text: string): Template {
  if (!text.includes('{{')) return () => text;
  const name = alone.exec(text)?.[1];
  if (name !== undefined && isPlaceholder(name)) return (values) => values[name];
  return (values) => fillText(text, values, (value) => value);
}

function isPlaceholder(name: string): name is PlaceholderName {
  return placeholderNames.some((placeholder) => placeholder === name);
}

function textOf(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
