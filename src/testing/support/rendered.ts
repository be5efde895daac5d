import type { JudgeOutput } from '../../domain/judge-protocol.ts';
import type { TrialRecord } from '../../domain/record.ts';
import { type RunHeader, summarizeRun } from '../../domain/run.ts';
import type { Trace } from '../../domain/trace.ts';
import { openStore } from '../../keep/store/open-store.ts';
import { reporters } from '../../report/reporters/index.ts';
import type { Reporter, StoredRun } from '../../report/reporters/reporter.ts';
import { finishedTrial, runHeader } from '../samples.ts';

/** Differences of a trial from the sample. */
export type TrialChanges = Partial<TrialRecord> & { readonly trace?: Trace };

interface RunChanges extends Partial<RunHeader> {
  readonly comparison?: StoredRun['comparison'];
}

/** The registered reporter of this name. */
export function reporterNamed(name: string): Reporter {
  const found = reporters.find((reporter) => reporter.name === name);
  if (!found) throw new Error(`There is no reporter ${name}.`);
  return found;
}

/** Output of a reporter for a run with these trials. */
export async function rendered(
  reporter: Reporter,
  trials: readonly TrialChanges[],
  { comparison, ...changes }: RunChanges = {},
): Promise<string> {
  await using store = await openStore('sqlite::memory:', '.');
  const runId = changes.runId ?? 'r-1';
  const header = runHeader(runId, {
    planned: trials.length,
    status: 'finished',
    finishedAt: 1_700_000_001_000,
    ...changes,
  });
  await store.createRun(header);
  await store.saveTrials(
    trials.map(({ trace, ...record }, ordinal) => {
      const sample = finishedTrial(runId, ordinal);
      return { trace: trace ?? sample.trace, record: { ...sample.record, ...record } };
    }),
  );
  const summary = summarizeRun(header, await store.countTrials(runId), 2);
  let text = '';
  for await (const piece of reporter.render({ store, summary, comparison }, { color: false })) text += piece;
  return text;
}

/** Result of the criteria language when none of these pass criteria holds. */
export function failedCriteria(...criteria: readonly string[]): JudgeOutput {
  const details = criteria.map((criterion) => ({ criterion, result: false, explanation: `not ${criterion}` }));
  return {
    testName: 'sample',
    verdict: 'FAIL',
    passCriteriaEvaluation: { total: details.length, passed: 0, failed: details.length, details },
    failCriteriaEvaluation: { total: 0, triggered: 0, avoided: 0, details: [] },
    summary: { verdict: 'FAIL', reason: 'sample', confidence: 'HIGH', recommendation: 'sample' },
  };
}

/** Texts that each format would take for something else. */
export const hostileTexts: readonly string[] = [
  '=HYPERLINK("http://evil.test","x")',
  "+cmd|' /C calc'!A0",
  '@SUM(1)\t-2+3',
  'a;=1+1;b',
  'line\r\n=2\n\n# heading\n::error::injected',
  '"quoted", and\\back',
  '</code></li></ul></details>\n\n<script>alert(1)</script><img src=x onerror=alert(1)>',
  '@everyone #1 GH-2 https://evil.test www.evil.test :boom: $x$ `code` [a](b) ![i](j) |x|',
  '--> <!-- -->',
  '%0A::set-output name=x::y %25 , : \u0007\u001B[31m',
  '\u202Eright to left\u200B\uFEFF',
  '{0} [link](https://evil.test)',
  '__proto__',
];
