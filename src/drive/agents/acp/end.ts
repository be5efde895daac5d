import type { RpcError } from '../../../shared/json-rpc.ts';
import { classifyProviderError } from '../classify-provider-error.ts';
import type { ReportedError } from '../conclude.ts';
import { countOf, fieldAt, numberOf, textOf } from '../json-shapes.ts';

const stopReasons: ReadonlyMap<string, string> = new Map([
  ['max_tokens', 'its model reached the token limit'],
  ['max_turn_requests', 'reached the turn limit'],
  ['refusal', 'the model refused to continue'],
  ['cancelled', 'the prompt was cancelled'],
]);

const errorMark = 'Error: ';

/** The error in the answer to a prompt; undefined when the agent finished. */
export function answeredError(answer: unknown, lastWords: string): ReportedError | undefined {
  const stopReason = textOf(fieldAt(answer, 'stopReason')) ?? 'no reason given';
  if (stopReason !== 'end_turn') return { message: stopReasons.get(stopReason) ?? `it stopped: ${stopReason}` };
  return fieldAt(answer, 'usage') === undefined ? errorIn(lastWords) : undefined;
}

/** Copilot reports a failure of its provider as a message, and then ends its turn normally. */
function errorIn(lastWords: string): ReportedError | undefined {
  if (!lastWords.startsWith(errorMark)) return undefined;
  const message = lastWords.slice(errorMark.length);
  return classifyProviderError(message) ? { message } : undefined;
}

/** The error that an agent answered with, in the provider's words where they are passed on. */
export function toReportedError({ code, message, data }: RpcError): ReportedError {
  const details = textOf(fieldAt(data, 'details')) ?? textOf(fieldAt(data, 'message')) ?? textOf(data);
  const status =
    numberOf(fieldAt(data, 'statusCode')) ??
    numberOf(fieldAt(data, 'status')) ??
    httpStatus(code) ??
    (fieldAt(data, 'errorName') === 'APIError' ? httpStatusIn(message) : undefined);
  return { message: details === undefined ? message : `${message}: ${details}`, status };
}

/** Some agents answer with the status of the provider as the code. */
function httpStatus(code: number): number | undefined {
  return code >= 400 && code < 600 ? code : undefined;
}

/** OpenCode passes on the provider's words alone, and says that they are the provider's. */
function httpStatusIn(message: string): number | undefined {
  const status = /\b[45]\d\d\b/.exec(message)?.[0];
  return status === undefined ? undefined : Number(status);
}

interface AcpUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedInputTokens?: number;
  readonly reasoningTokens?: number;
}

/** The tokens in the answer to a prompt; undefined when it has none. */
export function acpUsage(answer: unknown): AcpUsage | undefined {
  const usage = fieldAt(answer, 'usage');
  const quota = fieldAt(answer, '_meta', 'quota', 'token_count');
  const input = numberOf(fieldAt(usage, 'inputTokens')) ?? numberOf(fieldAt(quota, 'input_tokens'));
  const output = numberOf(fieldAt(usage, 'outputTokens')) ?? numberOf(fieldAt(quota, 'output_tokens'));
  if (input === undefined || output === undefined) return undefined;
  const cached = countOf(fieldAt(usage, 'cachedReadTokens'));
  const cache = cached + countOf(fieldAt(usage, 'cachedWriteTokens'));
  const thought = countOf(fieldAt(usage, 'thoughtTokens'));
  // Agents differ in whether cached and thought tokens are counted apart; what the total has more gives it away.
  const apart = countOf(fieldAt(usage, 'totalTokens')) - input - output;
  return {
    inputTokens: input + (apart === cache || apart === cache + thought ? cache : 0),
    outputTokens: output + (apart === thought || apart === cache + thought ? thought : 0),
    ...(cached > 0 ? { cachedInputTokens: cached } : {}),
    ...(thought > 0 ? { reasoningTokens: thought } : {}),
  };
}
