import type { FaultKind } from '../../../domain/tool-control/fault-kinds.ts';
import type { Fault } from '../../../domain/tool-control/faults.ts';
import { isRecord } from '../../../shared/json.ts';

/** Faults that change the text of an answer. */
export type TextFault = Extract<FaultKind, 'truncated' | 'huge' | 'malformed' | 'schema-breaking'>;

interface TextChange {
  readonly what: string;
  /** The same text where it leaves it alone. */
  change(text: string): string;
}

const usualBytes = 1_000_000;

/** How a fault changes texts. */
export function changedText(kind: TextFault, { bytes = usualBytes }: Fault): TextChange {
  switch (kind) {
    case 'truncated':
      return { what: 'lost half of its text on purpose', change: (text) => text.slice(0, Math.floor(text.length / 2)) };
    case 'huge':
      return { what: `got ${bytes} bytes of text on purpose`, change: (text) => filledUp(text, bytes) };
    case 'malformed':
      return { what: 'got broken text on purpose', change: broken };
    case 'schema-breaking':
      return { what: 'got data of other types on purpose', change: withOtherTypes };
  }
}

/** The text, with lines of padding after it up to the size. */
function filledUp(text: string, bytes: number): string {
  const missing = bytes - Buffer.byteLength(text);
  if (missing <= 0) return text;
  const line = `${'.'.repeat(99)}\n`;
  return `${text}${`\n${line.repeat(Math.ceil(missing / line.length))}`.slice(0, missing)}`;
}

/** In the middle of the text, where it breaks every syntax with brackets or quotes: characters that no encoding yields. */
const garbage = '\uFFFD\uFFFD"}]\uFFFD{';

function broken(text: string): string {
  const middle = Math.floor(text.length / 2);
  return `${text.slice(0, middle)}${garbage}${text.slice(middle)}`;
}

/** JSON whose values have other types; other texts stay as they are. */
function withOtherTypes(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    const changed = JSON.stringify(otherTypes(value));
    return text.endsWith('\n') ? `${changed}\n` : changed;
  } catch {
    return text;
  }
}

/** Every value with another type: numbers become texts, texts and booleans numbers, and null a text. */
export function otherTypes(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? {} : value.map(otherTypes);
  if (isRecord(value)) return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, otherTypes(part)]));
  if (typeof value === 'string') return value.length;
  return typeof value === 'boolean' ? Number(value) : String(value);
}

/** The text of a call that fails on purpose. */
export function failureText({ fault, message, retryAfterSecs }: Fault): string {
  if (message !== undefined) return message;
  if (fault !== 'rate-limit') return 'Internal error';
  return `Rate limit exceeded. Retry ${retryAfterSecs === undefined ? 'later' : `after ${retryAfterSecs} s`}.`;
}
