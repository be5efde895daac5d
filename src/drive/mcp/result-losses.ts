import type { Loss } from '../../domain/loss.ts';
import { isRecord } from '../../shared/json.ts';
import type { MessageRules } from './schemas/message-rules.ts';
import type { Era } from './session.ts';

/** Official clients take a result without content for an empty one, but what the tool meant to say is not known. */
export function missingContent(result: unknown): Loss[] {
  if (!isRecord(result) || result.content !== undefined || result.structuredContent !== undefined) return [];
  return lost('a result has no content', 'content');
}

/** The losses of a tool's result that an agent was given: parts that official clients do not take. */
export function lossesOfResult(rules: MessageRules, era: Era, result: unknown): Loss[] {
  const refusal = isRecord(result) ? rules.result(era, 'tools/call', result) : undefined;
  return refusal ? lost(`official clients refuse a result: ${refusal.problem}`, refusal.path) : missingContent(result);
}

function lost(reason: string, place: string): Loss[] {
  return [{ channels: ['tool-results'], reason, place }];
}
