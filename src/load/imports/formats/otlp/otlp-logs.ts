import { spanOfRecord } from '../../../collect/read-logs.ts';
import { nameOf } from '../../coerce.ts';
import { type JsonObject, listOf, type OtlpSpan, spansIn } from './otlp-span.ts';

/** The records of one element of `resourceLogs` that are about agents, as spans, and how many records it has in all. */
export function spansOfLogs(resourceLogs: JsonObject, line: number): { spans: OtlpSpan[]; records: number } {
  const records = listOf(resourceLogs.scopeLogs).flatMap(({ logRecords }) => listOf(logRecords));
  const spans = records.flatMap((record, index) => spanOfRecord(record, index) ?? []);
  const { spans: read } = spansIn({ resource: resourceLogs.resource, scopeSpans: [{ spans }] }, line);
  return { spans: read, records: records.length };
}

/** Whether it is a record that was logged for a span. */
export function isLoggedForSpan({ attributes }: OtlpSpan): boolean {
  return nameOf(attributes['assay.log.event'])?.startsWith('gen_ai.') === true;
}
