import type { ToolError } from '../../domain/tool-error.ts';
import { textOfResult } from '../../domain/tools/tool-meaning.ts';
import type { McpAnswer } from './session.ts';

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
