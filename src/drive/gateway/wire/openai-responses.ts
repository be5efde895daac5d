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

/** OpenAI's Responses. */
export const openaiResponses: WireApi = {
  name: 'openai-responses',
  isCall: (pathname) => /\/responses\/?$/.test(pathname),
  read,
  withModel: (body, pathname, model) => ({ body: { ...body, model }, pathname }),
  withMaxOutputTokens: (body, maxOutputTokens) => ({ ...body, max_output_tokens: maxOutputTokens }),
  firstToken: /"type"\s*:\s*"response\.[\w.]*\.delta"/,
  isFact: (data) => /"type"\s*:\s*"(?:response\.(?:created|completed|incomplete|failed)|error)"/.test(data),
  readReply,
};

function read(body: JsonObject): CallRequest {
  const items = typeof body.input === 'string' ? [{ role: 'user', content: body.input }] : recordsIn(body.input);
  const instructions = items.filter(isInstruction).map(({ content }) => contentText(content));
  const system = [textIn(body.instructions), ...instructions].filter((text) => text !== '').join('\n');
  return {
    model: textIn(body.model),
    system,
    messages: items,
    openingText: openingOf(items)
      .filter((item) => !isInstruction(item))
      .map(({ content }) => contentText(content))
      .join('\n'),
    promptText: [textIn(body.instructions), ...items.filter(isGiven).map(({ content }) => contentText(content))].join(
      '\n',
    ),
    tools: recordsIn(body.tools).flatMap(toolNames),
    maxOutputTokens: countIn(body.max_output_tokens),
    // The provider accepts no smaller limit.
    leastOutputTokens: 16,
    continuesStored: typeof body.previous_response_id === 'string' || Boolean(body.conversation),
  };
}

/** Tools may come grouped under a namespace; tools that the provider itself has carry no name. */
function toolNames(tool: JsonObject): string[] {
  if (tool.type === 'namespace') return recordsIn(tool.tools).flatMap(toolNames);
  return [textIn(tool.name) || textIn(tool.type)];
}

function readReply(facts: readonly JsonObject[]): CallReply {
  const responses = facts.map((fact) => (fact.object === 'response' ? fact : recordIn(fact.response)));
  const last = responses.findLast(({ status }) => status && status !== 'in_progress' && status !== 'queued');
  const usage = recordIn(last?.usage);
  const failed = facts.find(({ type }) => type === 'error');
  const reason = textIn(recordIn(last?.incomplete_details).reason) || textIn(last?.status);
  return {
    respondedAs: textIn(responses.find(({ model }) => model)?.model) || undefined,
    stopReason: reason || undefined,
    usage: usageOf(
      countIn(usage.input_tokens),
      countIn(usage.output_tokens),
      someCounts({
        cachedInputTokens: countIn(recordIn(usage.input_tokens_details).cached_tokens),
        reasoningTokens: countIn(recordIn(usage.output_tokens_details).reasoning_tokens),
      }),
    ),
    error: errorText(last, failed),
    isComplete: last !== undefined,
  };
}

function errorText(last: JsonObject | undefined, failed: JsonObject | undefined): string | undefined {
  if (failed)
    return textIn(failed.message) || textIn(recordIn(failed.error).message) || 'the provider reported an error';
  if (last?.status !== 'failed') return undefined;
  return textIn(recordIn(last.error).message) || 'the response failed';
}
