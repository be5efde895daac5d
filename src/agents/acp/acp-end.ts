import type { OwnError } from '../conclude.ts';
import { fieldAt } from '../field-at.ts';
import { numberOf, textOf } from '../json-shapes.ts';
import type { RpcError } from './json-rpc-peer.ts';

const stopReasons: ReadonlyMap<string, string> = new Map([
  ['max_tokens', 'its model reached the limit of tokens'],
  ['max_turn_requests', 'reached the limit of turns'],
  ['refusal', 'the model refused to go on'],
  ['cancelled', 'the prompt was cancelled'],
]);

/** What a stop reason says against the agent; undefined when it has come to its end. */
export function stopReasonError(stopReason: string): OwnError | undefined {
  return stopReason === 'end_turn'
    ? undefined
    : { message: stopReasons.get(stopReason) ?? `it stopped: ${stopReason}` };
}

/** The error that an agent answered with, in the provider's words where they are passed on. */
export function acpOwnError({ code, message, data }: RpcError): OwnError {
  const details = textOf(fieldAt(data, 'details')) ?? textOf(fieldAt(data, 'message')) ?? textOf(data);
  const status = numberOf(fieldAt(data, 'statusCode')) ?? numberOf(fieldAt(data, 'status')) ?? httpStatus(code);
  return { message: details === undefined ? message : `${message}: ${details}`, status };
}

/** Some agents answer with the status of the provider as the code. */
function httpStatus(code: number): number | undefined {
  return code >= 400 && code < 600 ? code : undefined;
}
