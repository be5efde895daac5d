import { resultText } from '../../../../../drive/wire/content-blocks.ts';
import { resemblesJson } from '../../../../../shared/json.ts';
import { nameOf } from '../../../coerce.ts';
import { lossesAtEndOf, parsed } from '../otlp-messages.ts';
import type { JsonObject, OtlpSpan } from '../otlp-span.ts';
import { emptyReading, type SpanConvention, type SpanTool, unansweredBy, unknownKind } from './convention.ts';
import { figuresOf, toolLosses } from './gen-ai.ts';

const detailsEvent = 'gen_ai.client.inference.operation.details';

/** Strands Agents: the names of OpenTelemetry, with the content of messages in the blocks of Bedrock. */
export const strands: SpanConvention = {
  name: 'Strands Agents',
  recognises: ({ attributes, events }) =>
    typeof attributes['gen_ai.event.start_time'] === 'string' && !events.some(({ name }) => name === detailsEvent),
  read(span) {
    const operation = nameOf(span.attributes['gen_ai.operation.name']);
    if (operation === 'execute_tool') {
      const tool = toolOf(span);
      return { messages: [], tool, losses: toolLosses(tool) };
    }
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
  if (role !== undefined) return [{ role, content: contentOf(attributes.content) }];
  return name === 'gen_ai.choice' ? [{ role: 'assistant', content: contentOf(attributes.message) }] : [];
}

function toolOf({ attributes, events }: OtlpSpan): SpanTool {
  const eventOf = (wanted: string) => events.find(({ name }) => name === wanted)?.attributes;
  const text = resultText(contentOf(eventOf('gen_ai.choice')?.message));
  return {
    name: nameOf(attributes['gen_ai.tool.name']) ?? 'unknown',
    callId: nameOf(attributes['gen_ai.tool.call.id']),
    input: parsed(eventOf('gen_ai.tool.message')?.content) ?? {},
    result: text,
    ...(attributes['gen_ai.tool.status'] === 'error' && { error: text }),
  };
}

/** Blocks are written as JSON, and text alone as it is; JSON that is cut is a block that cannot be read. */
function contentOf(written: unknown): unknown {
  const value = parsed(written);
  if (Array.isArray(value)) return value;
  return typeof value === 'string' && resemblesJson(value) ? [value] : written;
}
