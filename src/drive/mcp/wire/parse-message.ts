import { isRecord, parseAnyJson, parseJson, tracedValue } from '../../../shared/json.ts';

/**
 * A message of the protocol; undefined for any other text. Ids keep their digits in what goes into traces, the arguments
 * and the results of calls. Elsewhere, such as in the schemas of tools, numbers are numbers.
 */
export function parseMessage(text: string, parse: (text: string) => unknown = parseJson): unknown {
  const message = parse(text);
  const messages: unknown[] = Array.isArray(message) ? message : [message];
  return messages.some(isOfCall) ? (tracedValue(text, message) ?? message) : message;
}

/** A message of any depth: the session refuses one that is nested too deeply, and names the request. */
export function parseReceived(text: string): unknown {
  return parseMessage(text, parseAnyJson);
}

function isOfCall(message: unknown): boolean {
  const { method, result } = isRecord(message) ? message : {};
  if (method !== undefined) return method === 'tools/call';
  return isRecord(result) && (result.content !== undefined || result.structuredContent !== undefined);
}
