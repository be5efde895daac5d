import { isRecord } from '../../shared/json.ts';
import type { TraceEventOf } from '../trace.ts';

/** What a tool answered, as text: its message, its words, or the value as JSON. */
export function resultText(event: Pick<TraceEventOf<'tool-result'>, 'result' | 'error'>): string {
  if (event.error) return event.error.message;
  return textOf(event.result);
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === undefined || value === null) return '';
  const parts = Array.isArray(value) ? value.map(textPart) : [];
  if (parts.length > 0 && parts.every((part) => part !== undefined)) return parts.join('\n');
  return JSON.stringify(value);
}

/** The text of one part of a message; undefined for parts that are something else. */
function textPart(part: unknown): string | undefined {
  return isRecord(part) && part.type === 'text' && typeof part.text === 'string' ? part.text : undefined;
}
