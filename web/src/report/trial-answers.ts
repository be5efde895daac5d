import type { Trace } from '../../../src/domain/trace.ts';
import type { TrialDetail, WholeEvent } from '../../../src/entry/server/api/trials.ts';
import { diffTrials, type TrialsDiff } from '../../../src/report/compare/trajectory/trajectory-comparison.ts';
import { searchTrace, tracePage } from '../../../src/report/presentation/trace-page.ts';
import { traceFacts } from '../../../src/report/presentation/trial-view.ts';
import type { ReportData, SidedTrial } from './report-data.ts';

const leftOut = 'The trace of this trial was left out, because the report would be too large. `assay show` has it.';

/** A trial without its trace; undefined where the report does not have it. */
export async function trialDetail(data: ReportData, trialId: string): Promise<TrialDetail | undefined> {
  const found = data.find(trialId);
  const detail = found && (await data.detailOf(found));
  if (!detail) return undefined;
  const { record, trace } = detail;
  return {
    record,
    attempts: [],
    run: runOf(data, found),
    previousTrialId: neighbour(data, found, -1),
    nextTrialId: neighbour(data, found, 1),
    isFileThere: false,
    ...traceFacts(record, trace ?? []),
    traceNote: trace === null ? leftOut : null,
    artifacts: [],
  };
}

function runOf({ document: { run, comparison } }: ReportData, { side }: SidedTrial): TrialDetail['run'] {
  const common = { whyNotAgain: null, editOf: null, importedFrom: null };
  if (side === 'a' && comparison) {
    const { runId, startedAt, trials } = comparison.a;
    return { ...common, runId, name: null, startedAt, planned: trials };
  }
  const { runId, name, startedAt, totals, importedFrom, header } = run;
  const { origin } = header.request;
  const editOf = origin?.kind === 'edit' ? origin.trialId : null;
  return { ...common, runId, name, startedAt, planned: totals.planned, importedFrom, editOf };
}

function neighbour({ trials }: ReportData, { side, index }: SidedTrial, step: number): string | null {
  return side === '' ? (trials[index + step]?.trialId ?? null) : null;
}

/** Answers of the parts of a trial: its trace, events of it, and a search in it. */
export async function traceAnswer(
  data: ReportData,
  trialId: string,
  part: string,
  query: URLSearchParams,
): Promise<unknown> {
  const trace = await traceOf(data, trialId);
  if (!trace) return undefined;
  if (part === '') return tracePage(trace, Number(query.get('from') ?? 0), Number(query.get('limit') ?? trace.length));
  if (part !== 'search') return wholeEvent(trace, Number(part));
  return searchTrace(trace, { text: query.get('text') ?? undefined, type: query.get('type') ?? undefined });
}

async function traceOf(data: ReportData, trialId: string): Promise<Trace | undefined> {
  const found = data.find(trialId);
  const detail = found && (await data.detailOf(found));
  return detail && (detail.trace ?? []);
}

function wholeEvent(trace: Trace, index: number): WholeEvent | undefined {
  const event = trace[index];
  return event && { index, event };
}

/** The steps of two trials; undefined where the report does not have both traces. */
export async function trialsDiff(data: ReportData, a: string, b: string): Promise<TrialsDiff | undefined> {
  const details = await Promise.all(
    [a, b].map(async (trialId) => {
      const found = data.find(trialId);
      return found && data.detailOf(found);
    }),
  );
  const [before, after] = details.flatMap((detail) => (detail?.trace ? [{ ...detail, trace: detail.trace }] : []));
  return before && after && diffTrials(before, after);
}
