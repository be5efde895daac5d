import { isRecord } from '../../../shared/json.ts';
import { isModernRequest } from '../meta.ts';
import { answerText, type CallOutcome } from '../surfaces/call-tool.ts';
import type { Message } from './own-requests.ts';

/** The answer to a search or a program, in the form that the version of the request wants. */
export function ownAnswer({ id, params }: Message, text: string, isError: boolean): Message {
  const result = {
    ...(isModernRequest(params) && { resultType: 'complete' }),
    content: [{ type: 'text', text }],
    ...(isError && { isError: true }),
  };
  return { jsonrpc: '2.0', id, result };
}

export function errorAnswer({ id }: Message, code: number, message: string): Message {
  return { jsonrpc: '2.0', id: id ?? null, error: { code, message } };
}

/** An answer of the server, as a program gets it. */
export function outcomeOf({ result, error }: Message): CallOutcome {
  if (!isRecord(result)) {
    const message = isRecord(error) ? String(error.message) : 'The answer has no result.';
    return { error: { message }, text: `Error: ${message}` };
  }
  if (result.resultType === 'input_required') {
    const message = 'The tool needs input, which a program cannot give.';
    return { result, error: { message }, text: `Error: ${message}` };
  }
  const text = answerText(result);
  return result.isError === true ? { result, error: { message: text }, text: `Error: ${text}` } : { result, text };
}
