import { isRecord } from '../../../../shared/json.ts';
import { spanOfRecord } from '../../../collect/read-logs.ts';
import { nameOf } from '../../coerce.ts';
import { elementsOf, type JsonObject, type OtlpSpan, spansIn } from './otlp-span.ts';

interface LoggedSpans {
  readonly spans: readonly OtlpSpan[];
  readonly records: number;
  /** Unreadable records that are about an agent, or of an unknown kind. */
  readonly unread: number;
}

/** The records of one element of `resourceLogs` that are about agents, as spans, and how many records it has in all. */
export function spansOfLogs(resourceLogs: JsonObject, line: number): LoggedSpans {
  const scopes = elementsOf(resourceLogs.scopeLogs).map((scope) =>
    isRecord(scope) ? (scope.logRecords ?? []) : scope,
  );
  const records = scopes.flatMap(elementsOf);
  const read = records.map((record, index) => (isRecord(record) ? spanOfRecord(record, index) : undefined));
  const unread = records.filter((record, index) => !read[index] && (!isRecord(record) || isOfAgent(record))).length;
  const spans = read.filter((span) => span !== undefined);
  const { spans: whole } = spansIn({ resource: resourceLogs.resource, scopeSpans: [{ spans }] }, line);
  return { spans: whole, records: records.length, unread };
}

/** Whether a record is about an agent, although it lacks its session, its span or its name: Claude Code numbers its events. */
function isOfAgent(record: JsonObject): boolean {
  return /"(?:(?:gen_ai|claude_code|codex)\.[a-z_.]+|event\.sequence)"/.test(JSON.stringify(record));
}

/** Whether it is a record that was logged for a span. */
export function isLoggedForSpan({ attributes }: OtlpSpan): boolean {
  return nameOf(attributes['assay.log.event'])?.startsWith('gen_ai.') === true;
}
