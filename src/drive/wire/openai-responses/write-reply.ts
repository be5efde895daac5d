import type { JsonObject, WireCall, WirePart, WireReply, WireTool, WriteOptions } from '../codec.ts';
import { argumentText, piecesOf, serverSentEvent } from '../values.ts';

/** Prefix of the ids of responses. */
export const responseIdPrefix = 'resp_';

/** One item of a response's output. */
type OutputItem =
  | { readonly kind: 'text'; readonly id: string; readonly text: string }
  | {
      readonly kind: 'call';
      readonly id: string;
      readonly type: 'function_call' | 'custom_tool_call';
      readonly fields: JsonObject;
      readonly input: string;
    };

export function writeResponse(reply: WireReply, options: WriteOptions): JsonObject {
  return responseOf(reply, options, itemsOf(reply, options.request.tools));
}

/** The output of a reply; a reply without words and calls is an empty message. */
function itemsOf({ id, parts }: WireReply, offered: readonly WireTool[]): OutputItem[] {
  const items = parts.flatMap((part, index) => itemOf(part, `${id}_${index}`, offered));
  return items.length > 0 ? items : [{ kind: 'text', id: `msg_${id}`, text: '' }];
}

function itemOf(part: WirePart, id: string, offered: readonly WireTool[]): OutputItem[] {
  if (part.kind === 'text') return [{ kind: 'text', id: `msg_${id}`, text: part.text }];
  return part.kind === 'call' ? [callItem(part.call, id, offered)] : [];
}

/** Tools that take text get it as it is, and those of a group are called with its name. */
function callItem(call: WireCall, id: string, offered: readonly WireTool[]): OutputItem {
  const { isFreeform = false, namespace } = offered.find(({ name }) => name === call.tool) ?? {};
  const isText = isFreeform && typeof call.arguments === 'string';
  return {
    kind: 'call',
    id: `${isText ? 'ctc' : 'fc'}_${id}`,
    type: isText ? 'custom_tool_call' : 'function_call',
    fields: { call_id: call.callId, name: call.tool, ...(namespace !== undefined && { namespace }) },
    input: argumentText(call),
  };
}

/** An item as it stands in the output; without its content when it has only begun. */
function writeItem(item: OutputItem, isComplete = true): JsonObject {
  const status = isComplete ? 'completed' : 'in_progress';
  if (item.kind === 'text') {
    const content = isComplete ? [textPart(item.text)] : [];
    return { id: item.id, type: 'message', status, role: 'assistant', content };
  }
  const inputField = item.type === 'custom_tool_call' ? 'input' : 'arguments';
  return { id: item.id, type: item.type, status, ...item.fields, [inputField]: isComplete ? item.input : '' };
}

function textPart(text: string): JsonObject {
  return { type: 'output_text', text, annotations: [], logprobs: [] };
}

/** The response as a whole; without output and usage when it has only begun. */
function responseOf(
  reply: WireReply,
  { createdAtSecs, body }: WriteOptions,
  items: readonly OutputItem[] | undefined,
): JsonObject {
  return {
    id: `${responseIdPrefix}${reply.id}`,
    object: 'response',
    created_at: createdAtSecs,
    ...endOf(reply, items !== undefined),
    error: null,
    instructions: null,
    max_output_tokens: null,
    metadata: {},
    model: reply.model,
    output: (items ?? []).map((item) => writeItem(item)),
    parallel_tool_calls: true,
    previous_response_id: typeof body.previous_response_id === 'string' ? body.previous_response_id : null,
    reasoning: { effort: null, summary: null },
    store: true,
    temperature: 1,
    text: { format: { type: 'text' } },
    tool_choice: 'auto',
    tools: [],
    top_p: 1,
    truncation: 'disabled',
    usage: items ? writeUsage(reply) : null,
  };
}

function endOf({ finish, stopReason }: WireReply, isComplete: boolean): JsonObject {
  if (!isComplete) return { status: 'in_progress', incomplete_details: null };
  const isWhole = finish === 'stop' || finish === 'tool-calls' || finish === undefined;
  if (isWhole) return { status: 'completed', incomplete_details: null };
  const reason = stopReason ?? (finish === 'length' ? 'max_output_tokens' : 'content_filter');
  return { status: 'incomplete', incomplete_details: { reason } };
}

function writeUsage({ usage = {} }: WireReply): JsonObject {
  const { inputTokens = 0, outputTokens = 0, cachedInputTokens = 0, reasoningTokens = 0 } = usage;
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: cachedInputTokens },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens },
    total_tokens: inputTokens + outputTokens,
  };
}

type Event = readonly [type: string, fields: JsonObject];

/** The stream of a response: how it begins, each item as it grows, and the whole at the end. */
export function* writeResponseStream(reply: WireReply, options: WriteOptions): Generator<string> {
  const items = itemsOf(reply, options.request.tools);
  let sequenceNumber = 0;
  const write = ([type, fields]: Event): string =>
    serverSentEvent({ type, sequence_number: sequenceNumber++, ...fields }, type);
  const begun = responseOf(reply, options, undefined);
  yield write(['response.created', { response: begun }]);
  yield write(['response.in_progress', { response: begun }]);
  for (const [index, item] of items.entries()) {
    yield write(['response.output_item.added', { output_index: index, item: writeItem(item, false) }]);
    for (const [type, fields] of item.kind === 'text'
      ? textEvents(item.text, options.pieceCount)
      : callEvents(item, options.pieceCount))
      yield write([type, { item_id: item.id, output_index: index, ...fields }]);
    yield write(['response.output_item.done', { output_index: index, item: writeItem(item) }]);
  }
  const whole = responseOf(reply, options, items);
  yield write([`response.${String(whole.status)}`, { response: whole }]);
}

function textEvents(text: string, pieceCount: number): Event[] {
  const place = { content_index: 0 };
  return [
    ['response.content_part.added', { ...place, part: textPart('') }],
    ...piecesOf(text, pieceCount).map(
      (delta): Event => ['response.output_text.delta', { ...place, delta, logprobs: [] }],
    ),
    ['response.output_text.done', { ...place, text, logprobs: [] }],
    ['response.content_part.done', { ...place, part: textPart(text) }],
  ];
}

function callEvents({ type, fields, input }: OutputItem & { kind: 'call' }, pieceCount: number): Event[] {
  const deltas = piecesOf(input, pieceCount);
  if (type === 'custom_tool_call')
    return [
      ...deltas.map((delta): Event => ['response.custom_tool_call_input.delta', { delta }]),
      ['response.custom_tool_call_input.done', { input }],
    ];
  return [
    ...deltas.map((delta): Event => ['response.function_call_arguments.delta', { delta }]),
    ['response.function_call_arguments.done', { name: fields.name, arguments: input }],
  ];
}
