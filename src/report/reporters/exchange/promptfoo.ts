import { marksOf, metRealTool } from '../../../domain/marks.ts';
import { totalTokensOf } from '../../../domain/usage.ts';
import type { Reporter, StoredRun } from '../reporter.ts';
import { inputText, type TrialContent, trialContents } from './trial-content.ts';

/** Results that `promptfoo import` and the viewer of promptfoo read; trials without a verdict have no place in them. */
export const promptfooReporter: Reporter = {
  name: 'promptfoo',
  summary: 'results in the format of `promptfoo eval --output`; trials without a verdict are left out',
  fileName: 'promptfoo.json',
  render: promptfooOf,
};

/** `failureReason` of promptfoo. */
const failures = { pass: 0, fail: 1, error: 2 } as const;

async function* promptfooOf(run: StoredRun): AsyncGenerator<string, void> {
  const { runId, startedAt } = run.summary.run;
  const { pass: successes, fail: failed, error: errors } = run.summary.totals;
  const head = { version: 3, timestamp: new Date(startedAt).toISOString(), prompts: [] };
  yield `{"evalId":${JSON.stringify(runId)},"results":${JSON.stringify(head).slice(0, -1)},"results":[`;
  let count = 0;
  for await (const content of trialContents(run)) {
    const result = resultOf(content, count);
    if (!result) continue;
    yield `${count++ === 0 ? '' : ','}\n${JSON.stringify(result)}`;
  }
  const stats = { successes, failures: failed, errors };
  yield `\n],"stats":${JSON.stringify(stats)}},"config":{},"shareableUrl":null}\n`;
}

function resultOf({ record, input, output }: TrialContent, testIdx: number): object | undefined {
  const { outcome, variant, usage, reason } = record;
  if (outcome === 'skipped') return undefined;
  const isPass = outcome === 'pass';
  const vars = { scenario: record.scenario, case: record.caseId };
  const provider = [variant.agent ?? variant.connector, variant.model].filter((part) => part !== undefined).join(' ');
  const cost = record.costUsd ?? undefined;
  const tokenUsage = usage && {
    prompt: usage.inputTokens,
    completion: usage.outputTokens,
    total: totalTokensOf(usage),
  };
  return {
    id: record.trialId,
    promptIdx: 0,
    testIdx,
    testCase: { description: record.caseId, vars, assert: record.evaluatorResults.flatMap(assertionOf) },
    vars,
    prompt: { raw: inputText(input), label: record.scenario },
    provider: { id: provider === '' ? 'assay' : provider },
    response: { output, ...(tokenUsage && { tokenUsage }), ...(cost !== undefined && { cost }) },
    success: isPass,
    score: isPass ? 1 : 0,
    failureReason: failures[outcome],
    ...(!isPass && { error: reason }),
    gradingResult: { pass: isPass, score: isPass ? 1 : 0, reason, componentResults: componentsOf(record) },
    namedScores: numbersIn(record.metrics),
    ...(record.durationMs !== null && metRealTool(record) && { latencyMs: record.durationMs }),
    ...(cost !== undefined && { cost }),
    createdAt: new Date(record.startedAt).toISOString(),
    metadata: { assayTrial: record.trialId, repeat: record.repeat, marks: marksOf(record) },
  };
}

type Result = TrialContent['record']['evaluatorResults'][number];

function assertionOf({ kind, type }: Result): { readonly type: string }[] {
  return kind === 'assertion' ? [{ type }] : [];
}

/** Assertions with a verdict: promptfoo knows no others. */
function componentsOf({ evaluatorResults }: TrialContent['record']): object[] {
  return evaluatorResults.flatMap(({ kind, type, state, reason, value }) =>
    kind === 'assertion' && (state === 'pass' || state === 'fail')
      ? [{ pass: state === 'pass', score: value ?? (state === 'pass' ? 1 : 0), reason, assertion: { type } }]
      : [],
  );
}

function numbersIn(metrics: Readonly<Record<string, number | null>>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(metrics).flatMap(([name, value]) => (value === null ? [] : [[name, value]])),
  );
}
