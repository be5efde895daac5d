import { isRecord } from '../../../../../shared/json.ts';
import { nameOf, objectOf, parseJson } from '../../../coerce.ts';
import { lossesAtEndOf } from '../otlp-messages.ts';
import type { JsonObject, OtlpSpan } from '../otlp-span.ts';
import { emptyReading, type SpanConvention, type SpanTool, unansweredBy, unknownKind } from './convention.ts';
import { figuresOf } from './gen-ai.ts';

const detailsEvent = 'gen_ai.client.inference.operation.details';

/** Strands Agents: the names of OpenTelemetry, with the content of messages in the blocks of Bedrock. */
export const strands: SpanConvention = {
  name: 'Strands Agents',
  recognises: ({ attributes, events }) =>
    typeof attributes['gen_ai.event.start_time'] === 'string' && !events.some(({ name }) => name === detailsEvent),
  read(span) {
    const operation = nameOf(span.attributes['gen_ai.operation.name']);
    if (operation === 'execute_tool') return { messages: [], tool: toolOf(span) };
    if (operation === 'invoke_agent') return { messages: [], total: figuresOf(span) };
    if (operation === undefined) return emptyReading;
    if (operation !== 'chat') return unknownKind(span.name, operation);
    const messages = span.events.flatMap(messagesOf);
    const reasons = span.events
      .map(({ attributes }) => attributes.finish_reason)
      .filter((reason) => reason !== undefined);
    return {
      messages,
      request: figuresOf(span),
      losses: lossesAtEndOf(reasons, messages),
      ...unansweredBy(messages, reasons[0]),
    };
  },
};

type SpanEvent = OtlpSpan['events'][number];

function messagesOf({ name, attributes }: SpanEvent): JsonObject[] {
  const [, role] = /^gen_ai\.(system|user|assistant|tool)\.message$/.exec(name) ?? [];
  if (role !== undefined) return messagesOfBlocks(role, blocksOf(attributes.content));
  return name === 'gen_ai.choice' ? messagesOfBlocks('assistant', blocksOf(attributes.message)) : [];
}

function messagesOfBlocks(role: string, blocks: readonly JsonObject[]): JsonObject[] {
  const results = blocks.map(({ toolResult }) => toolResult).filter(isRecord);
  const answers = results.map(({ toolUseId, content, status }) => ({
    role: 'tool',
    tool_call_id: toolUseId,
    content: textOf(blocksOf(content)),
    ...(status === 'error' && { is_error: true }),
  }));
  const calls = blocks.flatMap((block) => {
    const use = block.type === 'toolUse' ? block : block.toolUse;
    return isRecord(use) ? [{ id: use.toolUseId, name: use.name, arguments: use.input ?? {} }] : [];
  });
  const content = textOf(blocks);
  if (content === '' && calls.length === 0) return answers;
  return [...answers, { role, content, ...(calls.length > 0 && { tool_calls: calls }) }];
}

function toolOf({ attributes, events }: OtlpSpan): SpanTool {
  const eventOf = (wanted: string) => events.find(({ name }) => name === wanted)?.attributes;
  const text = textOf(blocksOf(eventOf('gen_ai.choice')?.message));
  return {
    name: nameOf(attributes['gen_ai.tool.name']) ?? 'unknown',
    callId: nameOf(attributes['gen_ai.tool.call.id']),
    input: parseJson(nameOf(eventOf('gen_ai.tool.message')?.content) ?? '') ?? {},
    result: text,
    ...(attributes['gen_ai.tool.status'] === 'error' && { error: text }),
  };
}

/** Blocks are written as JSON, and text alone as it is. */
function blocksOf(written: unknown): JsonObject[] {
  const value = typeof written === 'string' ? (parseJson(written) ?? written) : written;
  if (typeof value === 'string') return [{ text: value }];
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

function textOf(blocks: readonly JsonObject[]): string {
  const texts = blocks.flatMap((block) => nameOf(block.text) ?? jsonOf(block));
  return texts.join('\n');
}

function jsonOf(block: JsonObject): string[] {
  return 'json' in block ? [JSON.stringify(objectOf(block).json)] : [];
}
