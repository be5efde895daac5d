import type { ErrorCode } from '../../domain/errors.ts';

/** Failures of a model's provider that can stop an agent. */
export type ProviderErrorCode = Extract<
  ErrorCode,
  | 'MODEL_UNAUTHORIZED'
  | 'MODEL_QUOTA'
  | 'MODEL_RATE_LIMITED'
  | 'MODEL_UNAVAILABLE'
  | 'MODEL_TIMEOUT'
  | 'MODEL_BAD_REQUEST'
>;

const longestText = 4_000;

const statusInText = /(?:status|code|error|http(?:\/[\d.]{1,3})?)["']?(?: code)?[\s:=("'[]{0,4}([45]\d\d)\b/i;
/** The agent has filled the window by its own work: that is how it did, and not an outage. */
const contextWords =
  /context.{0,20}(?:length|window|limit)|prompt is too long|maximum context|too many (?:input )?tokens/i;
const quotaWords =
  /insufficient[_ ](?:quota|balance|credits?|funds)|quota[_ ]?exceeded|exceeded.{0,20}quota|credit balance|billing|usage limit|PerDay/i;
const keyWords =
  /authenticat|unauthori[sz]ed|(?:invalid|incorrect|missing|no).{0,12}api[_ -]?key|api[_ -]?key.{0,12}(?:not valid|invalid|not set|missing)|permission[_ ]denied|\/login|not logged in|forbidden/i;
const rateWords = /rate[_ -]?limit|too many requests|resource[_ ]exhausted/i;
const timeWords =
  /request timed? ?out|timed out waiting for (?:the )?(?:model|provider|response)|deadline[_ ]exceeded/i;
const outageWords =
  /overloaded|(?:high|heavy) (?:demand|load|traffic)|over capacity|internal server error|service unavailable|bad gateway|gateway time-?out|ECONN(?:REFUSED|RESET|ABORTED)|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|connection (?:refused|reset|error|closed)|network error|fetch failed|socket hang up|error sending request|stream (?:disconnected|closed)|unable to connect|could not (?:connect|resolve)/i;
const refusedWords = /invalid_request|bad request|model.{0,60}(?:not found|does not exist|not supported)/i;

interface ProviderErrorSource {
  /** Of the provider's answer, where the agent reports it. */
  readonly status?: number | undefined;
  /** The agent itself says that its provider failed, so an unknown wording is an outage all the same. */
  readonly isProviders?: boolean | undefined;
}

/** Which failure of a provider an agent's error reports; undefined when it reports something else. */
export function classifyProviderError(
  text: string,
  { status, isProviders = false }: ProviderErrorSource = {},
): ProviderErrorCode | undefined {
  const excerpt =
    text.length > longestText ? `${text.slice(0, longestText / 2)} ${text.slice(-longestText / 2)}` : text;
  if (contextWords.test(excerpt)) return undefined;
  const httpStatus = status ?? Number(statusInText.exec(excerpt)?.[1] ?? Number.NaN);
  return byStatus(httpStatus, excerpt) ?? byWords(excerpt) ?? (isProviders ? 'MODEL_UNAVAILABLE' : undefined);
}

function byStatus(status: number, excerpt: string): ProviderErrorCode | undefined {
  if (status === 401) return 'MODEL_UNAUTHORIZED';
  if (status === 402) return 'MODEL_QUOTA';
  if (status === 408 || status === 504) return 'MODEL_TIMEOUT';
  if (status === 429) return quotaWords.test(excerpt) ? 'MODEL_QUOTA' : 'MODEL_RATE_LIMITED';
  if (status >= 500 && status < 600) return 'MODEL_UNAVAILABLE';
  if (!(status >= 400 && status < 500)) return undefined;
  if (quotaWords.test(excerpt)) return 'MODEL_QUOTA';
  return status === 403 || keyWords.test(excerpt) ? 'MODEL_UNAUTHORIZED' : 'MODEL_BAD_REQUEST';
}

function byWords(excerpt: string): ProviderErrorCode | undefined {
  if (quotaWords.test(excerpt)) return 'MODEL_QUOTA';
  if (keyWords.test(excerpt)) return 'MODEL_UNAUTHORIZED';
  if (rateWords.test(excerpt)) return 'MODEL_RATE_LIMITED';
  if (timeWords.test(excerpt)) return 'MODEL_TIMEOUT';
  if (outageWords.test(excerpt)) return 'MODEL_UNAVAILABLE';
  return refusedWords.test(excerpt) ? 'MODEL_BAD_REQUEST' : undefined;
}
