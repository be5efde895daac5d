export type JsonObject = Readonly<Record<string, unknown>>;

/** A span of OTLP/JSON, with the service that it is from. */
export interface OtlpSpan {
  readonly traceId: string;
  /** Empty where it has none. */
  readonly spanId: string;
  readonly isRoot: boolean;
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly startMs: number | undefined;
  readonly endMs: number | undefined;
  readonly attributes: JsonObject;
  readonly events: readonly OtlpEvent[];
  readonly isFailed: boolean;
  readonly statusMessage: string | undefined;
  readonly service: string | undefined;
  readonly line: number;
}

interface OtlpEvent {
  readonly name: string;
  readonly attributes: JsonObject;
}
