import { isRecord } from '../../../../shared/json.ts';
import { distinctRecords, spanOfRecord } from '../../../collect/read-logs.ts';
import { nameOf, objectOf } from '../../coerce.ts';
import { elementsOf, type JsonObject, type OtlpSpan, spansIn, unreadable } from './otlp-span.ts';

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
