import type { ObservedCall } from '../../../../domain/tool-calls.ts';
import { meaningOfResult } from '../../../../domain/tool-meaning.ts';
import { isRecord } from '../../../../shared/json.ts';

/** What a call gave back: of an MCP result its meaning, of a text that is JSON its data. */
export function callMeaning({ result }: Pick<ObservedCall, 'result'>): unknown {
  if (typeof result === 'string') return meaningOfResult({ content: [{ type: 'text', text: result }] });
  return isEnvelope(result) ? meaningOfResult(result) : result;
}

function isEnvelope(result: unknown): boolean {
  if (!isRecord(result) || !Array.isArray(result.content)) return false;
  return result.content.every((block: unknown) => isRecord(block) && typeof block.type === 'string');
}
