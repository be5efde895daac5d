import type { Loss } from '../../../../domain/loss.ts';
import { counted } from '../../../../shared/format.ts';
import { canonicalJson, isRecord } from '../../../../shared/json.ts';
import { Repeats } from '../../../../shared/repeats.ts';
import { figureOf, nameOf, objectOf, objectsIn, parseJson, possibleTime } from '../../coerce.ts';
import { lost } from '../../losses.ts';

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
  /** By its status or by `error.type`. */
  readonly isFailed: boolean;
  readonly statusMessage: string | undefined;
  /** Whether its parent is a span of another process, which need not send its spans here. */
  readonly hasRemoteParent: boolean;
  /** Parts that its exporter dropped, or that could not be read. */
  readonly lost: readonly string[];
  readonly service: string | undefined;
  readonly line: number;
}

interface OtlpEvent {
  readonly name: string;
  readonly attributes: JsonObject;
}

/** The spans of one element of `resourceSpans`; those that are not spans or have no trace are skipped and counted. */
export function spansIn(resourceSpans: JsonObject, line: number): { spans: OtlpSpan[]; unread: number } {
  const resource = attributesOf(objectOf(resourceSpans.resource).attributes).values;
  const scopes = resourceSpans.scopeSpans ?? resourceSpans.instrumentationLibrarySpans;
  const all = elementsOf(scopes).flatMap((scope) => (isRecord(scope) ? elementsOf(scope.spans) : [unreadable]));
  const read = all.filter(isRecord).map((span) => spanOf(span, nameOf(resource['service.name']), line));
  const spans = read.filter(({ traceId }) => traceId !== '');
  return { spans, unread: all.length - spans.length };
}

/** Stands for elements of a list that cannot be read. */
export const unreadable = undefined;

/** The elements of a list; a value in its place is an element that cannot be read. */
export function elementsOf(list: unknown): unknown[] {
  return Array.isArray(list) ? list : list === undefined || list === null ? [] : [unreadable];
}

function spanOf(span: JsonObject, service: string | undefined, line: number): OtlpSpan {
  const status = objectOf(span.status);
  const own = attributesOf(span.attributes);
  const repeats = new Repeats();
  // The very same event, its time included, is one event that was written twice.
  const events = elementsOf(span.events)
    .map(objectOf)
    .filter((event) => event.timeUnixNano === undefined || repeats.standingOf(event) !== 'again');
  const ofEvents = events.map((event) => attributesOf(event.attributes));
  const failure = nameOf(own.values['error.type']);
  const dropped = [span, ...events].flatMap(droppedFrom);
  const unread = [own, ...ofEvents].flatMap((attributes) => attributes.unread);
  return {
    traceId: nameOf(span.traceId) ?? '',
    spanId: nameOf(span.spanId) ?? '',
    parentSpanId: nameOf(span.parentSpanId),
    name: nameOf(span.name) ?? '',
    startMs: nanoseconds(span.startTimeUnixNano),
    endMs: nanoseconds(span.endTimeUnixNano),
    attributes: own.values,
    events: events.map((event, index) => ({
      name: nameOf(event.name) ?? '',
      attributes: ofEvents[index]?.values ?? {},
    })),
    isFailed: status.code === 2 || status.code === 'STATUS_CODE_ERROR' || failure !== undefined,
    statusMessage: nameOf(status.message) ?? failure,
    hasRemoteParent: ((figureOf(span.flags) ?? 0) & remoteParent) === remoteParent,
    lost: [
      ...dropped,
      ...unread.map((name) => `the attribute ${name} cannot be read`),
      ...(typeof span.name === 'string' ? [] : ['a span has no name']),
      ...([span.startTimeUnixNano, span.endTimeUnixNano].some((time) => nanoseconds(time) === undefined)
        ? ['a span has no time']
        : []),
    ],
    service,
    line,
  };
}

/** Ids of zeros only are invalid by the specification. */
export function hexId(value: unknown, digits: number): string | undefined {
  if (typeof value !== 'string' || value.length !== digits) return undefined;
  return /^[0-9a-f]+$/i.test(value) && !/^0+$/.test(value) ? value.toLowerCase() : undefined;
}

/** Before it, OpenTelemetry did not exist: an earlier time is in another unit, or wrong. */
const earliestMs = Date.UTC(2016, 0);

function nanoseconds(value: unknown): number | undefined {
  const ms = possibleTime((figureOf(value) ?? Number.NaN) / 1e6);
  return ms === undefined || ms < earliestMs ? undefined : ms;
}

/** Bits of the flags of a span: it is known whether its parent is remote, and it is. */
const remoteParent = 0x300;

function droppedFrom(holder: JsonObject): string[] {
  return ['Attributes', 'Events', 'Links'].flatMap((what) => {
    const count = figureOf(holder[`dropped${what}Count`]) ?? 0;
    return count > 0 ? [`${counted(count, what.toLowerCase().slice(0, -1))} of a span dropped by its exporter`] : [];
  });
}

interface ReadAttributes {
  readonly values: JsonObject;
  /** Names of those whose values cannot be read, or differ. */
  readonly unread: readonly string[];
}

function attributesOf(list: unknown): ReadAttributes {
  const values: Record<string, unknown> = {};
  const unread: string[] = [];
  for (const each of elementsOf(list)) {
    const { key, value } = objectOf(each);
    const plain = plainValue(value);
    const name = typeof key === 'string' ? key : '?';
    const isEmpty = isRecord(value) && Object.keys(value).length === 0;
    const isOther = name in values && canonicalJson(values[name]) !== canonicalJson(plain);
    if (typeof key !== 'string' || (plain === undefined && !isEmpty) || isOther) unread.push(name);
    values[name] = plain;
  }
  return { values, unread };
}

/** OTLP wraps each value in its type. */
function plainValue(value: unknown): unknown {
  if (!isRecord(value)) return undefined;
  if ('stringValue' in value) return typeof value.stringValue === 'string' ? value.stringValue : undefined;
  if ('intValue' in value) return figureOf(value.intValue);
  if ('doubleValue' in value) return figureOf(value.doubleValue);
  if ('boolValue' in value) return value.boolValue === true;
  if (isRecord(value.arrayValue)) return objectsIn(value.arrayValue.values).map(plainValue);
  if (isRecord(value.kvlistValue)) return attributesOf(value.kvlistValue.values).values;
  return typeof value.bytesValue === 'string' ? value.bytesValue : undefined;
}

/** Names of attributes with what was said, called and answered. */
const contentNames =
  /(?:messages?|content|prompt|completion|arguments|args|result|response|input|output|text|body)(?:\.|_|$|s$)/i;
/** Exporters are set to limits of so many characters. */
const limits: ReadonlySet<number> = new Set([
  ...Array.from({ length: 14 }, (_, index) => 128 * 2 ** index),
  ...[1_000, 2_000, 4_000, 5_000, 8_000, 10_000, 12_000, 16_000, 20_000, 32_000, 50_000, 64_000, 65_535, 100_000],
]);

/** Texts of a span that were probably cut: exactly as long as a limit, and not whole JSON. */
export function cutAttributes({ attributes, events }: OtlpSpan): Loss[] {
  const places = [attributes, ...events.map((event) => event.attributes)];
  return places.flatMap((place) =>
    Object.entries(place).flatMap(([name, value]) =>
      typeof value === 'string' && isCut(name, value)
        ? [{ channels: lost.message, reason: `\`${name}\` ends at a limit of ${value.length} characters` }]
        : [],
    ),
  );
}

function isCut(name: string, text: string): boolean {
  return (
    limits.has(text.length) && contentNames.test(name) && !(/^\s*[[{"]/.test(text) && parseJson(text) !== undefined)
  );
}
