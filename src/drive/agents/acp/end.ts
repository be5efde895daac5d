import type { ReportedUsage } from '../../../domain/usage.ts';
import { isRecord } from '../../../shared/json.ts';
import type { RpcError } from '../../../shared/json-rpc.ts';
import { classifyProviderError } from '../classify-provider-error.ts';
import type { ReportedError } from '../conclude.ts';
import { addUp, fieldAt, type JsonObject, numberOf, objectOf, textOf } from '../json-shapes.ts';

/** Why an agent stops before it is done; whatever else it says is not known. */
export const stopReasons: ReadonlyMap<string, string> = new Map([
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

/** The tokens in the answer to a prompt; undefined when it has none. */
export function acpUsage(answer: unknown): ReportedUsage | undefined {
  const places = [fieldAt(answer, 'usage'), fieldAt(answer, '_meta', 'quota', 'token_count')];
  const broken = places.find((counts) => counts !== undefined && counts !== null && !isRecord(counts));
  // Counts that cannot be read are refused as the tokens that they stand for.
  if (broken !== undefined) return { inputTokens: broken };
  const [usage, quota] = places.map(objectOf) as [JsonObject, JsonObject];
  const inputTokens = usage.inputTokens ?? quota.input_tokens;
  const outputTokens = usage.outputTokens ?? quota.output_tokens;
  if (inputTokens === undefined && outputTokens === undefined) return undefined;
  const { cachedReadTokens: cached, cachedWriteTokens: written, thoughtTokens: thought, totalTokens } = usage;
  // Agents differ in whether cached and thought tokens are counted apart; what the total has more gives it away.
  const apart = numberOf(totalTokens) ?? Number.NaN;
  const rest = apart - Number(inputTokens) - Number(outputTokens);
  const [cache, thoughts] = [Number(cached ?? 0) + Number(written ?? 0), Number(thought ?? 0)];
  const isCacheApart = rest === cache || rest === cache + thoughts;
  const isThoughtApart = rest === thoughts || rest === cache + thoughts;
  return {
    inputTokens: isCacheApart ? addUp(inputTokens, cached, written) : inputTokens,
    cachedInputTokens: cached,
    cacheWriteInputTokens: written,
    outputTokens: isThoughtApart ? addUp(outputTokens, thought) : outputTokens,
    reasoningTokens: thought,
    totalTokens,
  };
}
