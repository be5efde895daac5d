import type * as z from 'zod';
import { trialFindingsSchema, trialRecordSchema } from '../../../domain/record.ts';
import type { TraceEvent } from '../../../domain/trace.ts';
import { traceEventSchema } from '../../../domain/trace-schema.ts';
import { readUsage } from '../../../domain/usage.ts';
import { isRecord } from '../../../shared/json.ts';
import { Repeats } from '../../../shared/repeats.ts';
import { type JsonObject, objectOf, timeOf } from '../coerce.ts';
import type { ImportedTrial, ImportFormat } from '../import-format.ts';
import type { ImportSource } from '../import-source.ts';
import { lost } from '../losses.ts';
import { someObject } from '../sample.ts';

const recordedSchema = trialRecordSchema
  .omit({ runId: true, ordinal: true })
  .partial({ trialId: true, usage: true, fault: true });

/** Output of `assay run --json` and `assay show <trial> --json`. */
export const assayRun: ImportFormat = {
  name: 'assay-run',
  summary: 'output of `assay run --json` and `assay show --json`',
  reports: [],
  recognises: (sample) => /"schema"\s*:\s*"assay\.run\//.test(sample.text) || someObject(sample, isTrial),
  async *read(source) {
    for await (const { value, line } of source.records('trials')) {
      const trial = isRecord(value) ? trialIn(value, line, source) : undefined;
      if (trial) yield trial;
    }
  },
};

function isTrial(object: JsonObject): boolean {
  return (
    typeof object.trialId === 'string' && typeof object.scenario === 'string' && typeof object.outcome === 'string'
  );
}

function trialIn(value: JsonObject, line: number, source: ImportSource): ImportedTrial | undefined {
  if (!isTrial(value)) {
    source.problem(line, 'not a trial: `trialId`, `scenario` or `outcome` is missing');
    return undefined;
  }
  const { toolHealth, workflow, composite_score, workflow_score, startedAt, ...rest } = value;
  const written = {
    ...rest,
    toolHealth: toolHealth ?? [],
    workflow: workflow ?? [],
    compositeScore: composite_score ?? null,
    workflowScore: workflow_score ?? null,
    startedAt: timeOf(startedAt) ?? 0,
  };
  const parsed = recordedSchema.safeParse(written);
  if (parsed.success) return trialOf(parsed.data, value, line, source);
  const [issue] = parsed.error.issues;
  source.problem(line, `\`${issue?.path.join('.')}\` of trial ${String(value.trialId)}: ${issue?.message}`);
  return undefined;
}

type RecordedTrial = z.output<typeof recordedSchema>;

function trialOf(record: RecordedTrial, value: JsonObject, line: number, source: ImportSource): ImportedTrial {
  const { scenario, caseId, file, repeat, variant, outcome, reason, startedAt, durationMs, costUsd } = record;
  const findings = trialFindingsSchema.parse({ fault: null, ...record, artifacts: null });
  return {
    line,
    id: record.trialId,
    scenario,
    caseId,
    scenarioFile: file,
    repeat,
    variant,
    trace: traceIn(value.trace, line, source),
    verdict: { state: outcome, reason },
    ...(record.fault && { fault: record.fault }),
    ...(startedAt > 0 && { startedAt }),
    durationMs,
    costUsd,
    ...(record.usage && { usage: record.usage }),
    findings,
  };
}

/** Events that count: two of them are more than one. */
const counting: ReadonlySet<unknown> = new Set(['usage', 'turn', 'message', 'tool-call', 'tool-result']);

function isImpossible(event: TraceEvent): boolean {
  if (event.type !== 'usage' && event.type !== 'turn') return false;
  const { usage, costUsd } = event.type === 'turn' ? event : { usage: event, costUsd: event.costUsd };
  return (costUsd ?? 0) < 0 || readUsage(usage ?? {}).problem !== undefined;
}

function traceIn(written: unknown, line: number, source: ImportSource): TraceEvent[] {
  const place = source.placeOf(line);
  const gap = (reason: string): TraceEvent => ({
    type: 'gap',
    at: 0,
    seenBy: 'engine',
    channels: [...lost.everything],
    reason,
    place,
  });
  if (!Array.isArray(written)) return written == null ? [] : [gap('the trace of the trial is not a list')];
  const repeats = new Repeats();
  return written.flatMap((event: unknown, index): TraceEvent[] => {
    const parsed = traceEventSchema.safeParse(event);
    const isAgain = repeats.standingOf(event) === 'again' && counting.has(objectOf(event).type);
    if (parsed.success && !isAgain && !isImpossible(parsed.data)) return [parsed.data];
    const reason = `event ${index + 1} of the trace ${isAgain ? 'is the one before it again' : 'is not valid'}`;
    source.problem(line, reason);
    return [gap(reason)];
  });
}
