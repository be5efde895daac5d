import { nearestName } from '../../../shared/suggest.ts';
import type { Conversation } from './conversation.ts';

const placeholder = /\{\{\s*([A-Za-z]+)(?:\.(\d+))?\s*\}\}/g;
const names = ['last', 'model', 'toolResult', 'turn', 'match'] as const;
type PlaceholderName = (typeof names)[number];

/** Fills in placeholders in all strings of a value: text goes in as it is, wherever it comes from. */
export function fillPlaceholders<Value>(value: Value, conversation: Conversation, match: readonly string[]): Value {
  if (typeof value === 'string') return fillText(value, conversation, match) as Value;
  if (Array.isArray(value)) return value.map((item: unknown) => fillPlaceholders(item, conversation, match)) as Value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [key, fillPlaceholders(part, conversation, match)]),
  ) as Value;
}

interface Misspelling {
  readonly written: string;
  readonly column: number;
  readonly meant: string;
}

/** Placeholders of a text that seem to be misspelt, with the column of each and what was meant. */
export function misspeltPlaceholders(text: string): Misspelling[] {
  return [...text.matchAll(placeholder)].flatMap(({ 1: name = '', index }) => {
    const meant = isPlaceholderName(name) ? undefined : nearestName(name, names);
    return meant === undefined ? [] : [{ written: name, column: index + 1, meant }];
  });
}

function fillText(text: string, conversation: Conversation, match: readonly string[]): string {
  if (!text.includes('{{')) return text;
  return text.replace(placeholder, (whole, name: string, group: string | undefined) => {
    if (name === 'match') return match[Number(group ?? 0)] ?? '';
    return isPlaceholderName(name) && group === undefined
      ? String(conversation[name as Exclude<PlaceholderName, 'match'>])
      : whole;
  });
}

function isPlaceholderName(name: string): name is PlaceholderName {
  return names.some((placeholder) => placeholder === name);
}
