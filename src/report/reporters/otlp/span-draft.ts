import type { AttributeValues } from './attributes.ts';

/** What OTLP calls the side from which something is seen. */
export const spanKind = { internal: 1, client: 3 } as const;

/** A span before it has ids and a place in time; times are milliseconds since the trial began. */
export interface SpanDraft {
  readonly name: string;
  readonly kind?: number;
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: AttributeValues;
  /** What is said of it where it went wrong. */
  readonly error?: { readonly type: string; readonly message: string } | undefined;
}
