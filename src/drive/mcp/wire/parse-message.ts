import { isRecord, parseJson, parseTracedJson } from '../../../shared/json.ts';

/**
 * A message of the protocol; undefined for any other text. Ids keep their digits in what goes into traces, the arguments
 * and the results of calls. Elsewhere, such as in the schemas of tools, numbers are numbers.
 */
export function parseMessage(text: string): unknown {
  const message = parseJson(text);
  return isRecord(message) && isOfCall(message) ? (parseTracedJson(text) ?? message) : message;
}

function isOfCall({ method, result }: Readonly<Record<string, unknown>>): boolean {
  if (method !== undefined) return method === 'tools/call';
  return isRecord(result) && (result.content !== undefined || result.structuredContent !== undefined);
}
