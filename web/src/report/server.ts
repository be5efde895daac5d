import type { ServerAnswer } from '../data/server.ts';
import { ReportData } from './report-data.ts';
import { caseList, trialList } from './run-answers.ts';
import { traceAnswer, trialDetail, trialsDiff } from './trial-answers.ts';

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
  again: { whyNot: null, failed: 0, flaky: 0 },
};

function comparisonAnswer(part: string | undefined): unknown {
  if (part === undefined) return report.comparison ?? undefined;
  if (part === 'runs') return report.variants?.by === 'run' ? report.variants : undefined;
  if (part !== 'judge') return undefined;
  const state = report.ranking ? 'complete' : 'none';
  return { state, judged: 0, total: 0, costUsd: null, problem: null, ranking: report.ranking };
}
