import {
  type CallReply,
  type CallRequest,
  contentText,
  countIn,
  isGiven,
  isInstruction,
  type JsonObject,
  openingOf,
  recordIn,
  recordsIn,
  someCounts,
  textIn,
  usageOf,
  type WireApi,
} from './wire-api.ts';

/** OpenAI's chat completions, which most other providers speak too. */
export const openaiChat: WireApi = {
  name: 'openai-chat',
  isCall: (pathname) => /\/chat\/completions\/?$/.test(pathname),
  read,
  withModel: (body, pathname, model) => ({ body: { ...body, model }, pathname }),
  // The newer name only where the request uses it: many servers that speak this API know the older one alone.
  withMaxOutputTokens: (body, maxOutputTokens) =>
    'max_completion_tokens' in body
      ? { ...body, max_completion_tokens: maxOutputTokens }
      : { ...body, max_tokens: maxOutputTokens },
  firstToken: /"(?:content|reasoning_content|reasoning|refusal|arguments|name)"\s*:\s*"[^"]/,
  isFact: (data) => /"usage"\s*:\s*\{|"finish_reason"\s*:\s*"|"error"\s*:|"role"\s*:/.test(data),
  readReply,
};

function read(body: JsonObject): CallRequest {
  const messages = recordsIn(body.messages);
  const system = messages
    .filter(isInstruction)
    .map(({ content }) => contentText(content))
    .join('\n');
  return {
    model: textIn(body.model),
    system,
    messages,
    openingText: openingOf(messages)
      .filter((message) => !isInstruction(message))
      .map(({ content }) => contentText(content))
      .join('\n'),
    promptText: messages
      .filter(isGiven)
      .map(({ content }) => contentText(content))
      .join('\n'),
    tools: recordsIn(body.tools).map((tool) => textIn(recordIn(tool.function).name) || textIn(tool.type)),
    maxOutputTokens: countIn(body.max_completion_tokens) ?? countIn(body.max_tokens),
    leastOutputTokens: 1,
    continuesStored: false,
  };
}

function readReply(facts: readonly JsonObject[]): CallReply {
  const usage = recordIn(facts.findLast((fact) => countIn(recordIn(fact.usage).prompt_tokens) !== undefined)?.usage);
  const finished = facts
    .flatMap(({ choices }) => recordsIn(choices))
    .findLast(({ finish_reason: reason }) => typeof reason === 'string');
  const failed = facts.find(({ error }) => error);
  return {
    respondedAs: textIn(facts.find(({ model }) => model)?.model) || undefined,
    stopReason: textIn(finished?.finish_reason) || undefined,
    usage: usageOf(
      countIn(usage.prompt_tokens),
      countIn(usage.completion_tokens),
      someCounts({
        cachedInputTokens: countIn(recordIn(usage.prompt_tokens_details).cached_tokens),
        reasoningTokens: countIn(recordIn(usage.completion_tokens_details).reasoning_tokens),
      }),
    ),
    error:
      failed && (textIn(recordIn(failed.error).message) || textIn(failed.error) || 'the provider reported an error'),
    isComplete: finished !== undefined,
  };
}
