import {
  type CallReply,
  type CallRequest,
  contentText,
  countIn,
  isGiven,
  type JsonObject,
  openingOf,
  recordIn,
  recordsIn,
  someCounts,
  textIn,
  type WireApi,
} from './wire-api.ts';

/** Anthropic's Messages. */
export const anthropicMessages: WireApi = {
  name: 'anthropic-messages',
  isCall: (pathname) => /\/messages\/?$/.test(pathname),
  read,
  withModel: (body, pathname, model) => ({ body: { ...body, model }, pathname }),
  withMaxOutputTokens: (body, maxOutputTokens) => ({ ...body, max_tokens: maxOutputTokens }),
  firstToken: /content_block_delta/,
  isFact: (data) => /"type"\s*:\s*"(?:message_start|message_delta|message_stop|error)"/.test(data),
  readReply,
};

function read(body: JsonObject): CallRequest {
  const messages = recordsIn(body.messages);
  const system = contentText(body.system);
  const given = messages.filter(isGiven).map(({ content }) => contentText(content));
  const thinking = recordIn(body.thinking);
  return {
    model: textIn(body.model),
    system,
    messages,
    openingText: openingOf(messages)
      .map(({ content }) => contentText(content))
      .join('\n'),
    promptText: [system, ...given].join('\n'),
    tools: recordsIn(body.tools).map(({ name }) => textIn(name)),
    maxOutputTokens: countIn(body.max_tokens),
    leastOutputTokens: thinking.type === 'enabled' ? (countIn(thinking.budget_tokens) ?? 0) + 1 : 1,
    continuesStored: false,
  };
}

/** The counts of a stream are given at its beginning and again, more complete, towards its end. */
function readReply(facts: readonly JsonObject[]): CallReply {
  const messages = facts.map((fact) => (fact.type === 'message_start' ? recordIn(fact.message) : fact));
  const usages = messages.map(({ usage }) => recordIn(usage));
  const last = (key: string): number | undefined =>
    usages.reduce<number | undefined>((found, usage) => countIn(usage[key]) ?? found, undefined);
  const stops = messages.map((message) => message.stop_reason ?? recordIn(message.delta).stop_reason);
  const failed = facts.find(({ type }) => type === 'error');
  const isComplete = facts.some(
    ({ type, stop_reason }) => type === 'message_stop' || (type === 'message' && stop_reason),
  );
  const outputTokens = last('output_tokens');
  const fresh = last('input_tokens');
  const cached = last('cache_read_input_tokens') ?? 0;
  const written = last('cache_creation_input_tokens') ?? 0;
  const details = recordIn(usages.findLast(({ output_tokens_details: some }) => some)?.output_tokens_details);
  return {
    respondedAs: textIn(messages.find(({ model }) => model)?.model) || undefined,
    stopReason: textIn(stops.findLast(Boolean)) || undefined,
    usage:
      fresh === undefined || outputTokens === undefined || !isComplete
        ? undefined
        : {
            inputTokens: fresh + cached + written,
            outputTokens,
            ...someCounts({
              cachedInputTokens: cached,
              cacheWriteInputTokens: written,
              reasoningTokens: countIn(details.thinking_tokens),
            }),
          },
    error: failed && (textIn(recordIn(failed.error).message) || 'the provider reported an error in its stream'),
    isComplete,
  };
}
