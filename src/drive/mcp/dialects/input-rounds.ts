import { AssayError } from '../../../domain/errors.ts';
import { isRecord } from '../../../shared/json.ts';
import { printable } from '../../../shared/text.ts';
import type { IncomingHandlers } from '../incoming.ts';
import { inputCapabilities, mayNeedInput } from '../protocol-versions.ts';
import type { MessageRules } from '../schemas/message-rules.ts';
import { refusalText } from '../schemas/refusal.ts';
import type { McpRequestOptions } from '../session.ts';
import { withinLimits } from '../wire/within-limits.ts';

type Result = Readonly<Record<string, unknown>>;

/** More rounds of one request are not answered. */
export const mostRounds = 25;
/** More requests in one round are not answered. */
const mostInRound = 100;

/** Input that a server needs before it can answer. */
interface NeededInput {
  readonly requests: ReadonlyMap<string, { readonly method: string; readonly params: unknown }>;
  /** Given back as it came. */
  readonly requestState: string | undefined;
}

interface Asking {
  readonly label: string;
  /** The rules by which official clients refuse messages. */
  readonly rules: MessageRules;
  readonly method: string;
  readonly capabilities: Readonly<Record<string, unknown>>;
}

/** Reads a result of the type `input_required`; throws for one that the protocol does not allow. */
export function neededInput({ label, method, capabilities, rules }: Asking, result: Result): NeededInput {
  const violation = (how: string): AssayError =>
    new AssayError('MCP_PROTOCOL_VIOLATED', `The MCP server "${label}" answered ${method} ${how}.`);
  if (!mayNeedInput.has(method)) throw violation('with a request for input, which only other requests may need');
  const { inputRequests = {}, requestState } = result;
  if (!isRecord(inputRequests)) throw violation('with `inputRequests` that is not an object');
  if (requestState !== undefined && typeof requestState !== 'string')
    throw violation('with a `requestState` that is not text');
  const entries = Object.entries(inputRequests);
  if (entries.length === 0 && requestState === undefined)
    throw violation('with a request for input that has neither `inputRequests` nor `requestState`');
  if (entries.length > mostInRound) throw tooMuch(label, method, `${entries.length} inputs at once`, mostInRound);
  const requests = entries.map(([key, request]): [string, { method: string; params: unknown }] => {
    if (!isRecord(request) || typeof request.method !== 'string')
      throw violation(`with an input request without a method: "${printable(key)}"`);
    const capability = inputCapabilities[request.method];
    if (capability === undefined)
      throw violation(`with a request for ${printable(request.method)}, which is not an input`);
    if (capabilities[capability] === undefined)
      throw violation(`with a request for ${request.method}, which the client does not offer`);
    const refusal = rules.request('modern', request.method, request.params);
    if (refusal)
      throw violation(`with a request for ${request.method} that official clients refuse: ${refusalText(refusal)}`);
    return [key, { method: request.method, params: request.params }];
  });
  return { requests: new Map(requests), requestState };
}

/** A limit of ours, not a fault of the server. */
export function tooMuch(label: string, method: string, what: string, most: number): AssayError {
  const message = `The MCP server "${label}" needs ${what} to answer ${method}; Assay gives at most ${most}.`;
  return new AssayError('MCP_UNSUPPORTED', message);
}

/** The parameters with which the request is sent again: what the handlers answer, and the state of the server. */
export async function inputFor(
  { requests, requestState }: NeededInput,
  incoming: IncomingHandlers,
  { label, method }: Asking,
  limits: McpRequestOptions,
): Promise<Result> {
  const abort = new AbortController();
  const answers = [...requests].map(async ([key, request]): Promise<[string, unknown]> => {
    const handler = incoming.handlerOf(request.method);
    const refused = (why: string): AssayError => notGiven({ label, method, what: request.method, why });
    if (!handler) throw refused('there is nothing here that answers it');
    return [
      key,
      await handler(request, abort.signal).catch((error: unknown) => {
        throw error instanceof AssayError ? error : refused(error instanceof Error ? error.message : String(error));
      }),
    ];
  });
  try {
    const given = await withinLimits(Promise.all(answers), limits, `the input that ${method} of "${label}" needs`);
    // Keys are the server's words, and one of them may be `__proto__`.
    const inputResponses: Record<string, unknown> = Object.fromEntries(given);
    return {
      ...(requests.size > 0 && { inputResponses }),
      ...(requestState !== undefined && { requestState }),
    };
  } finally {
    abort.abort();
  }
}

/** The protocol has no message for a refusal, so the request is given up. */
function notGiven(refusal: { label: string; method: string; what: string; why: string }): AssayError {
  const { label, method, what, why } = refusal;
  const message = `The MCP server "${label}" needs ${what} to answer ${method}, and it was refused: ${printable(why)}`;
  return new AssayError('MCP_INPUT_REFUSED', message);
}
