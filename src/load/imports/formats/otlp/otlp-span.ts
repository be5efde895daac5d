import { isRecord } from '../../../../shared/json.ts';
import { figureOf, nameOf, objectOf, possibleTime } from '../../coerce.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

/** A span of OTLP/JSON, with the service that it is from. */
export interface OtlpSpan {
  readonly traceId: string;
  /** Empty where it has none. */
  readonly spanId: string;
  /** Undefined for the root of a trace. */
  readonly parentSpanId: string | undefined;
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

/** The spans of one element of `resourceSpans`; spans without a trace are skipped and counted. */
export function spansIn(resourceSpans: JsonObject, line: number): { spans: OtlpSpan[]; withoutTrace: number } {
  const resource = attributesOf(objectOf(resourceSpans.resource).attributes);
  const scopes = listOf(resourceSpans.scopeSpans ?? resourceSpans.instrumentationLibrarySpans);
  const written = scopes.flatMap((scope) => listOf(scope.spans));
  const spans = written.map((span) => spanOf(span, nameOf(resource['service.name']), line));
  return {
    spans: spans.filter(({ traceId }) => traceId !== ''),
    withoutTrace: spans.filter(({ traceId }) => traceId === '').length,
  };
}

function spanOf(span: JsonObject, service: string | undefined, line: number): OtlpSpan {
  const status = objectOf(span.status);
  return {
    traceId: nameOf(span.traceId) ?? '',
    spanId: nameOf(span.spanId) ?? '',
    parentSpanId: nameOf(span.parentSpanId),
    name: nameOf(span.name) ?? '',
    startMs: nanoseconds(span.startTimeUnixNano),
    endMs: nanoseconds(span.endTimeUnixNano),
    attributes: attributesOf(span.attributes),
    events: listOf(span.events).map((event) => ({
      name: nameOf(event.name) ?? '',
      attributes: attributesOf(event.attributes),
    })),
    isFailed: status.code === 2 || status.code === 'STATUS_CODE_ERROR',
    statusMessage: nameOf(status.message),
    service,
    line,
  };
}

function nanoseconds(value: unknown): number | undefined {
  return possibleTime((figureOf(value) ?? Number.NaN) / 1e6);
}

function attributesOf(list: unknown): JsonObject {
  const entries = listOf(list).flatMap(({ key, value }) =>
    typeof key === 'string' ? [[key, plainValue(value)] as const] : [],
  );
  return Object.fromEntries(entries);
}

/** OTLP wraps each value in its type. */
function plainValue(value: unknown): unknown {
  if (!isRecord(value)) return undefined;
  if ('stringValue' in value) return value.stringValue;
  if ('intValue' in value) return figureOf(value.intValue);
  if ('doubleValue' in value) return figureOf(value.doubleValue);
  if ('boolValue' in value) return value.boolValue === true;
  if (isRecord(value.arrayValue)) return listOf(value.arrayValue.values).map(plainValue);
  return isRecord(value.kvlistValue) ? attributesOf(value.kvlistValue.values) : undefined;
}

export function listOf(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}
