import { wellFormed } from '../../../shared/text.ts';

/** A number that is a double even where it happens to be whole. */
interface Double {
  readonly double: number;
}

/** JSON that is written as it is, because half of it could not be read; its writer keeps it short. */
interface JsonDocument {
  readonly json: string;
}

/** Undefined and null are left out. */
type AttributeValue = string | number | boolean | Double | JsonDocument | readonly string[] | null | undefined;
export type AttributeValues = Readonly<Record<string, AttributeValue>>;

/** An attribute as OTLP/JSON writes it. */
export interface Attribute {
  readonly key: string;
  readonly value: object;
}

/** Backends cut or refuse longer ones. */
const longestText = 16_384;

/** Attributes that have a value; NaN and infinities are left out. */
export function attributesOf(values: AttributeValues): Attribute[] {
  return Object.entries(values).flatMap(([key, value]) => {
    const written = writtenValue(value);
    return written ? [{ key, value: written }] : [];
  });
}

function writtenValue(value: AttributeValue): object | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return { stringValue: shortText(value) };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number') {
    if (Number.isSafeInteger(value)) return { intValue: String(value) };
    return Number.isFinite(value) ? { doubleValue: value } : undefined;
  }
  if ('json' in value) return { stringValue: value.json };
  if ('double' in value) return Number.isFinite(value.double) ? { doubleValue: value.double } : undefined;
  return { arrayValue: { values: value.map((text) => ({ stringValue: shortText(text) })) } };
}

/** A text of bounded length, which says how much is missing. */
export function shortText(text: string, mostCharacters = longestText): string {
  if (text.length <= mostCharacters) return wellFormed(text);
  return wellFormed(`${text.slice(0, mostCharacters)}… (${text.length - mostCharacters} more characters)`);
}

/** A value as JSON; a longer one becomes a JSON string with its beginning. */
export function jsonDocument(value: unknown): JsonDocument | undefined {
  const text = JSON.stringify(value);
  if (text === undefined) return undefined;
  return { json: text.length <= longestText ? text : JSON.stringify(shortText(text)) };
}

/** Span kinds as OTLP numbers them. */
export const spanKind = { internal: 1, client: 3 } as const;

/** A span before it has ids and a place in time; times are milliseconds since the trial began. */
export interface SpanDraft {
  readonly name: string;
  readonly kind?: number;
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: AttributeValues;
  /** The error, where there was one. */
  readonly error?: { readonly type: string; readonly message: string } | undefined;
}
