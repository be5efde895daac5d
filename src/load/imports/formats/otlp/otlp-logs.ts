import { sha256 } from '../../../../shared/ids.ts';
import { canonicalJson, isRecord } from '../../../../shared/json.ts';
import { nameOf, objectOf } from '../../coerce.ts';
import { elementsOf, hexId, type JsonObject, type OtlpSpan, spansIn, unreadable } from './otlp-span.ts';

interface LoggedSpans {
  readonly spans: readonly OtlpSpan[];
  readonly records: number;
  /** Unreadable records that are about an agent, or of an unknown kind. */
  readonly unread: number;
}

/** The records of one element of `resourceLogs` that are about agents, as spans, and how many records it has in all. */
export function spansOfLogs(resourceLogs: JsonObject, line: number): LoggedSpans {
  const records = distinctRecords(elementsOf(resourceLogs.scopeLogs).flatMap(recordsOfScope), ({ record }) => record);
  const read = records.map(({ record }, index) => (isRecord(record) ? spanOfRecord(record, index) : undefined));
  const unread = records.filter(({ record, isOfAgent }, index) => !read[index] && (!isRecord(record) || isOfAgent));
  const spans = read.filter((span) => span !== undefined);
  const { spans: whole } = spansIn({ resource: resourceLogs.resource, scopeSpans: [{ spans }] }, line);
  return { spans: whole, records: records.length, unread: unread.length };
}

/** Scopes in which agents log nothing but the events of their sessions. */
const sessionScopes = /^(?:codex_otel\.log_only|com\.anthropic\.claude_code\.events)$/;

/**
 * The records of one scope. A record is about an agent, although it lacks its session, its span or its name, by its scope
 * or its attributes: Claude Code numbers its events.
 */
function recordsOfScope(scope: unknown): { readonly record: unknown; readonly isOfAgent: boolean }[] {
  if (!isRecord(scope)) return [{ record: unreadable, isOfAgent: true }];
  const isSession = sessionScopes.test(nameOf(objectOf(scope.scope).name) ?? '');
  const isNamed = (record: unknown): boolean =>
    /"(?:(?:gen_ai|claude_code|codex)\.[a-z_.]+|event\.sequence)"/.test(JSON.stringify(record) ?? '');
  return elementsOf(scope.logRecords).map((record) => ({ record, isOfAgent: isSession || isNamed(record) }));
}

/** Whether it is a record that was logged for a span. */
export function isLoggedForSpan({ attributes }: OtlpSpan): boolean {
  return nameOf(attributes['assay.log.event'])?.startsWith('gen_ai.') === true;
}

/** Records without those that are there twice, their time included: an exporter sends again what was not acknowledged. */
export function distinctRecords<Each>(all: readonly Each[], recordOf: (each: Each) => unknown): Each[] {
  const written = new Set<string>();
  return all.filter((each) => {
    const { timeUnixNano, observedTimeUnixNano } = objectOf(recordOf(each));
    if (timeUnixNano === undefined && observedTimeUnixNano === undefined) return true;
    const content = canonicalJson(recordOf(each));
    return !written.has(content) && written.add(content);
  });
}

/**
 * A log record about an agent as a span: an event of OpenTelemetry's GenAI names, which belongs to a span, or an event of
 * an agent that logs its sessions. Undefined for other records. `index` is its place among those it was sent with.
 */
export function spanOfRecord(record: JsonObject, index: number): JsonObject | undefined {
  const { timeUnixNano, observedTimeUnixNano } = record;
  // JSON of protocol buffers writes a field that is not set as null, or not at all.
  const body = record.body ?? undefined;
  const text = (name: string) => attributeOf(record, name)?.stringValue;
  const name = eventNameOf(record, text('event.name'));
  const place = name === undefined ? undefined : placeOf(record, name, text);
  if (!place) return undefined;
  const attributes = Array.isArray(record.attributes) ? record.attributes : [];
  const time = Number(timeUnixNano ?? 0) > 0 ? timeUnixNano : observedTimeUnixNano;
  const ownId = sha256(JSON.stringify([name, body, attributes, time]));
  return {
    ...place,
    name,
    spanId: `${orderOf(record, index)}${ownId.slice(0, 10)}`,
    attributes: [...attributes, { key: 'assay.log.event', value: { stringValue: name } }],
    events: [
      { name, attributes: [...attributes, ...(body === undefined ? [] : [{ key: 'event_body', value: body }])] },
    ],
    startTimeUnixNano: time,
    endTimeUnixNano: time,
    droppedAttributesCount: record.droppedAttributesCount,
  };
}

/** Claude Code has the whole name in the body. */
function eventNameOf({ eventName, body }: JsonObject, named: unknown): string | undefined {
  const names = [objectOf(body).stringValue, named, eventName];
  return names.find((name): name is string => typeof name === 'string' && /^(?:gen_ai|claude_code|codex)\./.test(name));
}

/** Records of a session belong together, whichever trace is active when they are made. */
function placeOf(
  { traceId, spanId }: JsonObject,
  name: string,
  text: (name: string) => unknown,
): { readonly traceId: unknown; readonly parentSpanId?: unknown } | undefined {
  if (name.startsWith('gen_ai.')) {
    const isOfSpan = hexId(traceId, 32) !== undefined && hexId(spanId, 16) !== undefined;
    return isOfSpan ? { traceId, parentSpanId: spanId } : undefined;
  }
  const session = text('session.id') ?? text('conversation.id');
  return typeof session === 'string' ? { traceId: sha256(`session ${session}`).slice(0, 32) } : undefined;
}

/** Records of one millisecond keep their order: by their number, or as they were sent. */
function orderOf(record: JsonObject, index: number): string {
  const { intValue, stringValue } = attributeOf(record, 'event.sequence') ?? {};
  const number = Number(intValue ?? stringValue ?? index);
  return (Number.isSafeInteger(number) && number >= 0 ? number % 16 ** 6 : 0).toString(16).padStart(6, '0');
}

function attributeOf({ attributes }: JsonObject, name: string): JsonObject | undefined {
  const found = Array.isArray(attributes) ? attributes.find((each) => objectOf(each).key === name) : undefined;
  return found === undefined ? undefined : objectOf(objectOf(found).value);
}
