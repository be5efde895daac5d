import { gapOf, type Loss } from '../../domain/loss.ts';
import type { ToolError } from '../../domain/tool-error.ts';
import { textOfResult } from '../../domain/tools/tool-meaning.ts';
import type { EmitTrace } from '../../domain/trace.ts';
import { isRecord } from '../../shared/json.ts';
import type { MessageRules } from './schemas/message-rules.ts';
import type { Era, McpAnswer, McpSession } from './session.ts';

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

/**
 * Makes each kind of message that the server sends on its own and that official clients refuse a gap: which progress,
 * log message, update or request it was meant to be is not known.
 */
export function reportRefused(session: Pick<McpSession, 'onRefused'>, emit: EmitTrace): Disposable {
  const reported = new Set<string>();
  return session.onRefused((method, { path, problem }) => {
    const reason = `official clients refuse ${method} of the server: ${problem}`;
    if (reported.has(reason)) return;
    reported.add(reason);
    for (const loss of lost(reason, path)) emit(gapOf(loss));
  });
}

function lost(reason: string, place: string): Loss[] {
  return [{ channels: ['tool-results'], reason, place }];
}

/** The error of an answer: one of the protocol, or a result that says of itself that it is one. */
export function errorOfAnswer(answer: McpAnswer): ToolError | undefined {
  if (answer.kind === 'error') {
    const { message, code, data } = answer;
    return { message, code, ...(data !== undefined && { data }) };
  }
  const { result } = answer;
  if (result.isError !== true) return undefined;
  const message = textOfResult(result) ?? (JSON.stringify(result.content) || 'the tool failed without a message');
  return { message, isError: true };
}
