import type { Loss } from '../../../../../domain/loss.ts';
import { readMessage } from '../../../chat-message.ts';
import type { RequestFigures } from '../../../chat-trace.ts';
import { lost } from '../../../losses.ts';
import type { OtlpSpan } from '../otlp-span.ts';

/** A tool that a span shows at work. */
export interface SpanTool {
  readonly name: string;
  readonly callId: string | undefined;
  readonly input: unknown;
  readonly result: unknown;
  /** Where the tool failed although its span does not say so. */
  readonly error?: string | undefined;
  /** Where another span has the other part. */
  readonly part?: 'call' | 'result' | undefined;
}

/** The part of a span that says what a model or a tool did. */
export interface SpanReading {
  /** Chat messages, input before output. */
  readonly messages: readonly unknown[];
  readonly tool?: SpanTool | undefined;
  /** Figures of a request to a model, also where it has none. */
  readonly request?: RequestFigures | undefined;
  /** Sums over the requests inside it. */
  readonly total?: RequestFigures | undefined;
  /** The loss of its request where it shows no answer, unless another span of the same request shows it. */
  readonly unanswered?: Loss | undefined;
  /** Whether its model called tools that only their own spans show. */
  readonly isFollowedByTool?: boolean | undefined;
  /** Its losses. */
  readonly losses?: readonly Loss[] | undefined;
}

/** The names by which a family of libraries writes into spans what models and tools did. */
export interface SpanConvention {
  readonly name: string;
  /** Whether a span is written by it; the first convention of the list that recognises a span reads it. */
  recognises(span: OtlpSpan): boolean;
  read(span: OtlpSpan): SpanReading;
  /** Losses that show only in all of its spans together, which are in the order of their times. */
  missingFrom?(spans: readonly OtlpSpan[]): readonly Loss[];
}

/** The loss of a request whose answer is not in its span; none where a message of the assistant ends it. */
export function unansweredBy(messages: readonly unknown[], finishReason: unknown): { readonly unanswered?: Loss } {
  const { role, results = [] } = readMessage(messages.at(-1)) ?? {};
  if (role === 'assistant' && results.length === 0) return {};
  const isEnded = finishReason !== undefined;
  return {
    unanswered: { channels: isEnded ? lost.answer : lost.message, reason: 'the answer of a request was not recorded' },
  };
}

/** A span that repeats what the spans inside it say. */
export const emptyReading: SpanReading = { messages: [] };

/** A span of a kind that its convention does not know: it may be about anything. */
export function unknownKind(name: string, kind: unknown): SpanReading {
  const reason = `a span of the unknown kind ${JSON.stringify(kind)} (\`${name}\`)`;
  return { messages: [], losses: [{ channels: lost.everything, reason }] };
}
