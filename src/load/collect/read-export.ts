import { isRecord } from '../../shared/json.ts';
import { namesSecret, namesSecretHeader } from '../../shared/redaction/assigned-secrets.ts';
import { type Redact, redactDeep } from '../../shared/redaction/redaction.ts';
import { type JsonObject, objectOf } from '../imports/coerce.ts';
import { distinctRecords, spanOfRecord } from '../imports/formats/otlp/otlp-logs.ts';
import { hexId } from '../imports/formats/otlp/otlp-span.ts';

/** A span as it is kept until its trace is whole; nothing in it is secret any more. */
export interface ReceivedSpan {
  /** 32 hex digits. */
  readonly traceId: string;
  /** 16 hex digits. */
  readonly spanId: string;
  readonly isRoot: boolean;
  /** JSON of the resource and the scope that the span is from. */
  readonly origin: string;
  /** JSON of the span. */
  readonly body: string;
}

/** A span that is not kept. */
interface RefusedSpan {
  readonly reason: string;
  /** The trace that it is missing from, where it names one. */
  readonly traceId?: string;
}

/** The spans of one export, and those of it that were refused. */
export interface ReadExport {
  readonly spans: readonly ReceivedSpan[];
  readonly refused: readonly RefusedSpan[];
}

/** Larger spans are refused: a trace is held in memory when it becomes a trial. */
const mostSpanCharacters = 4 * 1_048_576;

/** An export that is not one at all. */
export class MalformedExport extends Error {}

/** Checks and redacts the spans of an export request; one that is wrong as a whole is thrown. */
export function readExport(request: unknown, redact: Redact): ReadExport {
  const spans: ReceivedSpan[] = [];
  const refused: RefusedSpan[] = [];
  for (const resourceSpans of requiredList(requiredObject(request), 'resourceSpans')) {
    for (const scopeSpans of requiredList(resourceSpans, 'scopeSpans')) {
      const origin = originOf(resourceSpans, scopeSpans, redact);
      for (const span of requiredList(scopeSpans, 'spans')) {
        const received = receivedSpan(span, origin, redact);
        if ('reason' in received) refused.push(received);
        else spans.push(received);
      }
    }
  }
  return { spans, refused };
}

/** The log records of an export that are about agents, as spans. */
export function readLogs(request: unknown, redact: Redact): ReadExport {
  const spans: ReceivedSpan[] = [];
  const refused: RefusedSpan[] = [];
  let place = 0;
  for (const resourceLogs of requiredList(requiredObject(request), 'resourceLogs')) {
    for (const scopeLogs of requiredList(resourceLogs, 'scopeLogs')) {
      const origin = originOf(resourceLogs, scopeLogs, redact);
      for (const record of distinctRecords(requiredList(scopeLogs, 'logRecords'), (each) => each)) {
        const span = spanOfRecord(record, place++);
        if (!span) continue;
        const received = receivedSpan(span, origin, redact);
        if ('reason' in received) refused.push(received);
        // The end of a session is not logged, so none of its records is a root.
        else spans.push({ ...received, isRoot: false });
      }
    }
  }
  return { spans, refused };
}

/** A span that is kept, as an element of `resourceSpans`. */
export function resourceSpansOf({ origin, body }: Pick<ReceivedSpan, 'origin' | 'body'>): JsonObject {
  const { resource, scope } = JSON.parse(origin) as JsonObject;
  return { resource, scopeSpans: [{ scope, spans: [JSON.parse(body)] }] };
}

function requiredObject(request: unknown): JsonObject {
  if (isRecord(request)) return request;
  throw new MalformedExport('The body is not an export request.');
}

function requiredList(parent: JsonObject, name: string): JsonObject[] {
  const list = parent[name] ?? [];
  if (Array.isArray(list) && list.every(isRecord)) return list;
  throw new MalformedExport(`\`${name}\` is not a list of objects.`);
}

function originOf({ resource }: JsonObject, { scope }: JsonObject, redact: Redact): string {
  const { attributes } = objectOf(resource);
  const { name, version } = objectOf(scope);
  return JSON.stringify(
    redactAttributes({ resource: { attributes: filledList(attributes) }, scope: { name, version } }, redact),
  );
}

/** The span, or why it is refused. */
function receivedSpan(span: JsonObject, origin: string, redact: Redact): ReceivedSpan | RefusedSpan {
  const traceId = hexId(span.traceId, 32);
  if (traceId === undefined) return { reason: 'a span has no valid traceId' };
  const spanId = hexId(span.spanId, 16);
  if (spanId === undefined) return { reason: 'a span has no valid spanId', traceId };
  const parentSpanId = hexId(span.parentSpanId, 16);
  const { name, attributes, events, links, status } = span;
  const described = { name, attributes: filledList(attributes), events: filledList(events), links: filledList(links) };
  const body = JSON.stringify({
    ...redactAttributes({ ...described, status }, redact),
    traceId,
    spanId,
    parentSpanId,
    startTimeUnixNano: span.startTimeUnixNano,
    endTimeUnixNano: span.endTimeUnixNano,
    ...lossesOf(span),
  });
  if (body.length > mostSpanCharacters) {
    const reason = `span ${spanId} has ${body.length} characters, and at most ${mostSpanCharacters} are accepted`;
    return { reason, traceId };
  }
  return { traceId, spanId, isRoot: parentSpanId === undefined, origin, body };
}

/** Losses of its exporter, and whether its parent is of another process. */
function lossesOf(span: JsonObject): JsonObject {
  const names = ['droppedAttributesCount', 'droppedEventsCount', 'droppedLinksCount', 'flags'];
  return Object.fromEntries(names.filter((name) => span[name]).map((name) => [name, span[name]]));
}

function filledList(list: unknown): unknown[] | undefined {
  return Array.isArray(list) && list.length > 0 ? list : undefined;
}

/** A name and its value are neighbours in OTLP and not an assignment, so the name is looked at first. */
function redactAttributes<Value>(value: Value, redact: Redact): Value {
  return redactDeep(hasNamedSecret(value, 0) ? (withoutNamedSecrets(value, 0) as Value) : value, redact);
}

const deepestLevel = 100;

function hasNamedSecret(value: unknown, level: number): boolean {
  if (typeof value !== 'object' || value === null || level > deepestLevel) return false;
  if (isSecretAttribute(value as JsonObject)) return true;
  for (const key in value) if (hasNamedSecret((value as JsonObject)[key], level + 1)) return true;
  return false;
}

function withoutNamedSecrets(value: unknown, level: number): unknown {
  if (typeof value !== 'object' || value === null || level > deepestLevel) return value;
  if (Array.isArray(value)) return value.map((item) => withoutNamedSecrets(item, level + 1));
  if (isSecretAttribute(value as JsonObject)) return { ...value, value: { stringValue: '[REDACTED]' } };
  const entries = Object.entries(value).map(([key, item]) => [key, withoutNamedSecrets(item, level + 1)] as const);
  return Object.fromEntries(entries);
}

const mayNameSecret = /key|token|secret|pass|credential|auth|cookie/i;

function isSecretAttribute({ key, value }: JsonObject): boolean {
  if (typeof key !== 'string' || !mayNameSecret.test(key)) return false;
  const { stringValue, arrayValue } = objectOf(value);
  if (typeof stringValue !== 'string' && arrayValue === undefined) return false;
  if (isTokenCount(key, stringValue)) return false;
  return namesSecret(key) || (key.includes('.header.') && namesSecretHeader(key.slice(key.lastIndexOf('.') + 1)));
}

/** Codex writes how many tokens it used as text. */
function isTokenCount(key: string, value: unknown): boolean {
  return /(?:^|[._])tokens?[._]count$/.test(key) && typeof value === 'string' && /^\d{1,9}$/.test(value);
}
