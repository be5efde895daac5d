import { isRecord, jsonOrText, tracedJson } from '../../shared/json.ts';
import type { JsonObject, WireCall, WirePart } from './codec.ts';

/** A text, or nothing. */
export function textIn(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** A text that is not empty. */
export function someText(...values: readonly unknown[]): string | undefined {
  for (const value of values) if (typeof value === 'string' && value !== '') return value;
  return undefined;
}

/** The objects of a list; anything else is passed over. */
export function recordsIn(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

/** An object, or an empty one. */
export function recordIn(value: unknown): JsonObject {
  return isRecord(value) ? value : {};
}

/** A number that is not negative; undefined for anything else. */
export function countIn(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}

/** The text of a message: itself, or that of its parts; pictures and the like have none. */
export function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  return recordsIn(content)
    .flatMap((part) => (typeof part.text === 'string' ? [part.text] : []))
    .join('\n');
}

/** The text of some parts. */
export function textOf(parts: readonly WirePart[], separator = ''): string {
  const [only] = parts;
  if (parts.length === 1 && only?.kind === 'text') return only.text;
  return parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join(separator);
}

/** The calls among some parts. */
export function callsOf(parts: readonly WirePart[]): WireCall[] {
  return parts.flatMap((part) => (part.kind === 'call' ? [part.call] : []));
}

/** Arguments as text: JSON, unless they were written as text. */
export function argumentText({ arguments: written }: WireCall): string {
  return typeof written === 'string' ? written : JSON.stringify(written ?? {});
}

/** Arguments as a value; text that is not JSON stays text. */
export function argumentValue({ arguments: written }: WireCall): unknown {
  return typeof written === 'string' ? jsonOrText(written) : (written ?? {});
}

/** The same for traces, where ids keep their digits. */
export function tracedArguments({ arguments: written }: WireCall): unknown {
  return typeof written === 'string' ? tracedJson(written) : (written ?? {});
}

/** Arguments as an object, for APIs that take nothing else. */
export function argumentObject(call: WireCall, key: string): JsonObject {
  const value = argumentValue(call);
  return isRecord(value) ? value : { [key]: value };
}

/** The message of an error in the usual shapes; undefined where there is none. */
export function errorTextIn(document: unknown): string | undefined {
  if (!isRecord(document)) return undefined;
  const { error, message, detail } = document;
  return someText(isRecord(error) ? error.message : error, message, detail);
}

/** One event of an event stream whose data is JSON. */
export function serverSentEvent(data: unknown, event?: string): string {
  return `${event === undefined ? '' : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`;
}

/** A text in so many pieces of whole characters, or fewer when it is short. */
export function piecesOf(text: string, count: number): string[] {
  const size = Math.ceil(text.length / count);
  const pieces: string[] = [];
  for (let at = 0; at < text.length; ) {
    // The second half of a surrogate pair stays with the first.
    const end = /[\uDC00-\uDFFF]/.test(text.charAt(at + size)) ? at + size + 1 : at + size;
    pieces.push(text.slice(at, end));
    at = end;
  }
  return pieces;
}
