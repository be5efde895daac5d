import type { Trace } from '../../../src/domain/trace.ts';
import type { TrialDetail, WholeEvent } from '../../../src/entry/server/api/trials.ts';
import { diffTrials, type TrialsDiff } from '../../../src/report/compare/trajectory/trajectory-comparison.ts';
import { searchTrace, tracePage } from '../../../src/report/presentation/trace-page.ts';
import { traceFacts } from '../../../src/report/presentation/trial-view.ts';
import type { ServerAnswer } from '../data/server.ts';
import { ReportData, type SidedTrial } from './report-data.ts';
import { caseList, trialList } from './run-answers.ts';

/** The data of this page. */
export const data = new ReportData();

const { document: report } = data;

/** Answers as the server would, from the data inside of the page. */
export async function send(method: string, url: string): Promise<ServerAnswer> {
  const [path = '', query = ''] = url.split('?', 2);
  const body = method === 'GET' ? await answerTo(path, new URLSearchParams(query)) : undefined;
  return body === undefined ? { status: 404, body: notHere } : { status: 200, body };
}

const notHere = {
  error: 'This report does not hold what is looked for.',
  code: 'NOT_FOUND',
  hint: 'A report leaves out what would make it too large, and other runs. `assay show` and `assay serve` have them.',
};

async function answerTo(path: string, query: URLSearchParams): Promise<unknown> {
  const [topic, id, part, ...rest] = path.split('/').slice(2).map(decodeURIComponent);
  switch (topic) {
    case 'runs':
      return id === report.run.runId ? runAnswer(part, query) : undefined;
    case 'trials':
      if (part === 'trace') return traceAnswer(data, id ?? '', rest[0] ?? '', query);
      return part === undefined ? trialDetail(data, id ?? '') : undefined;
    case 'compare':
      return comparisonAnswer(id);
    case 'variants':
      return report.variants ?? undefined;
    case 'diff':
      return trialsDiff(data, query.get('a') ?? '', query.get('b') ?? '');
    case 'evaluator-types':
      return [];
    default:
      return undefined;
  }
}

function runAnswer(part: string | undefined, query: URLSearchParams): unknown {
  switch (part) {
    case undefined:
    case 'head':
      return { ...report.run, ...nothingCanBeDone };
    case 'trials':
      return trialList(data, query);
    case 'cases':
      return caseList(data, query);
    case 'problems':
      return report.problems;
    case 'breakdown':
      return report.breakdown;
    default:
      return undefined;
  }
}

const nothingCanBeDone = {
  canCancel: false,
  canResume: false,
  canRetryErrors: false,
  canRescore: false,
  whyNotAgain: null,
  again: { failed: 0, flaky: 0 },
};

function comparisonAnswer(part: string | undefined): unknown {
  if (part === undefined) return report.comparison ?? undefined;
  if (part === 'runs') return report.variants?.by === 'run' ? report.variants : undefined;
  if (part !== 'judge') return undefined;
  const state = report.ranking ? 'complete' : 'none';
  return { state, judged: 0, total: 0, costUsd: null, problem: null, ranking: report.ranking };
}

const leftOut = 'The trace of this trial was left out, because the report would be too large. `assay show` has it.';

/** A trial without its trace; undefined where the report does not have it. */
async function trialDetail(data: ReportData, trialId: string): Promise<TrialDetail | undefined> {
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
async function traceAnswer(data: ReportData, trialId: string, part: string, query: URLSearchParams): Promise<unknown> {
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
async function trialsDiff(data: ReportData, a: string, b: string): Promise<TrialsDiff | undefined> {
  const details = await Promise.all(
    [a, b].map(async (trialId) => {
      const found = data.find(trialId);
      return found && data.detailOf(found);
    }),
  );
  const [before, after] = details.flatMap((detail) => (detail?.trace ? [{ ...detail, trace: detail.trace }] : []));
  return before && after && diffTrials(before, after);
}
