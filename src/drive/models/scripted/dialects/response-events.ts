import { piecesOf, type ScriptedReply } from '../scripted-reply.ts';
import type { JsonObject } from './dialect.ts';
import { type OutputItem, renderItem, responseOf, textPart } from './response-object.ts';
import { serverSentEvent } from './server-sent-event.ts';

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
