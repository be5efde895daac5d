import { type OfferedTool, piecesOf, type ScriptedReply } from '../conversation.ts';
import type { JsonObject } from './dialect.ts';
import { serverSentEvent } from './wire-format.ts';

/** One item of a response's output. */
type OutputItem =
  | { readonly kind: 'text'; readonly id: string; readonly text: string }
  | {
      readonly kind: 'call';
      readonly id: string;
      readonly type: CallType;
      readonly fields: JsonObject;
      readonly input: string;
    };

type CallType = 'function_call' | 'custom_tool_call';

/** Prefix of the ids of responses. */
export const responseIdPrefix = 'resp_';

/** The output of a reply; tools that take text get it as it is, and those of a group are called with its name. */
export function itemsOf({ id, text, toolCalls }: ScriptedReply, offered: readonly OfferedTool[]): OutputItem[] {
  const calls = toolCalls.map(({ callId, tool, input }, index): OutputItem => {
    const { isFreeform = false, namespace } = offered.find(({ name }) => name === tool) ?? {};
    const isText = isFreeform && typeof input === 'string';
    return {
      kind: 'call',
      id: `${isText ? 'ctc' : 'fc'}_${id}_${index + 1}`,
      type: isText ? 'custom_tool_call' : 'function_call',
      fields: { call_id: callId, name: tool, ...(namespace !== undefined && { namespace }) },
      input: isText ? input : JSON.stringify(input),
    };
  });
  return text === '' && calls.length > 0 ? calls : [{ kind: 'text', id: `msg_${id}`, text }, ...calls];
}

/** An item as it stands in the output; without its content when it has only begun. */
function renderItem(item: OutputItem, isComplete = true): JsonObject {
  const status = isComplete ? 'completed' : 'in_progress';
  if (item.kind === 'text')
    return {
      id: item.id,
      type: 'message',
      status,
      role: 'assistant',
      content: isComplete ? [textPart(item.text)] : [],
    };
  const inputField = item.type === 'custom_tool_call' ? 'input' : 'arguments';
  return { id: item.id, type: item.type, status, ...item.fields, [inputField]: isComplete ? item.input : '' };
}

/** The part of a message that holds its text. */
function textPart(text: string): JsonObject {
  return { type: 'output_text', text, annotations: [], logprobs: [] };
}

/** The response as a whole; without output and usage when it has only begun. */
export function responseOf(
  { id, createdAtSecs, model, usage: { inputTokens, outputTokens } }: ScriptedReply,
  previousId: string | null,
  items: readonly OutputItem[] | undefined,
): JsonObject {
  return {
    id: `${responseIdPrefix}${id}`,
    object: 'response',
    created_at: createdAtSecs,
    status: items ? 'completed' : 'in_progress',
    error: null,
    incomplete_details: null,
    instructions: null,
    max_output_tokens: null,
    metadata: {},
    model,
    output: (items ?? []).map((item) => renderItem(item)),
    parallel_tool_calls: true,
    previous_response_id: previousId,
    reasoning: { effort: null, summary: null },
    store: true,
    temperature: 1,
    text: { format: { type: 'text' } },
    tool_choice: 'auto',
    tools: [],
    top_p: 1,
    truncation: 'disabled',
    usage: items
      ? {
          input_tokens: inputTokens,
          input_tokens_details: { cached_tokens: 0 },
          output_tokens: outputTokens,
          output_tokens_details: { reasoning_tokens: 0 },
          total_tokens: inputTokens + outputTokens,
        }
      : null,
  };
}

type Event = readonly [type: string, fields: JsonObject];

/** The stream of a response: how it begins, each item as it grows, and the whole at the end. */
export function* responseEvents(
  reply: ScriptedReply,
  previousId: string | null,
  items: readonly OutputItem[],
): Generator<string> {
  let sequenceNumber = 0;
  const render = ([type, fields]: Event): string =>
    serverSentEvent({ type, sequence_number: sequenceNumber++, ...fields }, type);
  const begun = responseOf(reply, previousId, undefined);
  yield render(['response.created', { response: begun }]);
  yield render(['response.in_progress', { response: begun }]);
  for (const [index, item] of items.entries()) {
    yield render(['response.output_item.added', { output_index: index, item: renderItem(item, false) }]);
    const grown = item.kind === 'text' ? textEvents(item, reply.pieceCount) : callEvents(item, reply.pieceCount);
    for (const [type, fields] of grown) yield render([type, { item_id: item.id, output_index: index, ...fields }]);
    yield render(['response.output_item.done', { output_index: index, item: renderItem(item) }]);
  }
  yield render(['response.completed', { response: responseOf(reply, previousId, items) }]);
}

function textEvents({ text }: OutputItem & { kind: 'text' }, pieceCount: number): Event[] {
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
