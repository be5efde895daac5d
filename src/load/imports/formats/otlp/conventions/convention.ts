import type { JsonObject, OtlpSpan } from '../otlp-span.ts';

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
  readonly messages: readonly JsonObject[];
  readonly tool?: SpanTool | undefined;
  /** Of this request alone: a span around others has their sum, which would count everything twice. */
  readonly usage?: {
    readonly inputTokens: number | undefined;
    readonly outputTokens: number | undefined;
    readonly model?: string | undefined;
    readonly costUsd?: number | undefined;
  };
}

/** The names by which a family of libraries writes into spans what models and tools did. */
export interface SpanConvention {
  readonly name: string;
  /** Whether a span is written by it; the first convention of the list that recognises a span reads it. */
  recognises(span: OtlpSpan): boolean;
  read(span: OtlpSpan): SpanReading;
}

/** A span that repeats what the spans inside it say. */
export const emptyReading: SpanReading = { messages: [] };
