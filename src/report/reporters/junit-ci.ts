import { onlyInput } from '../../domain/only-case.ts';
import type { TrialRecord } from '../../domain/record.ts';
import { notRunText, type RunSummary } from '../../domain/run.ts';
import { counted } from '../../shared/format.ts';
import type { CiLimit } from '../compare/ci-limits.ts';
import type { CiCase, CiVerdict } from '../compare/ci-verdict.ts';
import type { BaselineCheck } from '../compare/regressions.ts';
import { excuseText, failureText } from '../presentation/ci-text.ts';
import { caseTitle } from '../presentation/trial-text.ts';
import type { FindCiCase } from './ci-cases.ts';
import { type JunitCase, junitCases } from './junit-cases.ts';

/** The test cases of a trial; failures that do not count are skipped, because CI systems fail a build for any other. */
export function countedCases(record: TrialRecord, find: FindCiCase): JunitCase[] {
  const cases = junitCases(record);
  const found = cases.some(({ problem }) => problem) ? find(record) : undefined;
  return found ? cases.map((one) => countedCase(one, found)) : cases;
}

function countedCase(one: JunitCase, found: CiCase): JunitCase {
  const { problem } = one;
  if (!problem) return one;
  // A trial that could not be judged is set aside by a quarantine alone.
  const isExcused = problem.element === 'failure' || found.excuse === 'quarantined';
  const excuse = isExcused ? excuseText(found) : undefined;
  if (excuse !== undefined)
    return { ...one, problem: { ...problem, element: 'skipped', message: `${excuse}: ${problem.message}` } };
  const failure = problem.element === 'failure' ? failureText(found) : undefined;
  return failure === undefined ? one : { ...one, problem: { ...problem, message: `${failure}: ${problem.message}` } };
}

/** Planned trials without a record have no names, so one case stands for all; skipped cases alone would be green. */
export function notRunCases({ run, totals }: RunSummary): JunitCase[] {
  if (totals.notRun === 0) return [];
  const message = notRunText(run, `${totals.notRun} of ${counted(totals.planned, 'trial')}`);
  const base = { name: 'planned trials', classname: 'run', durationMs: null, details: [] };
  return [{ ...base, problem: { element: 'error', message, type: 'NotRun' } }];
}

/** Test cases for the limits of the files and for what got worse than the baseline. */
export function demandCases(ci: CiVerdict, check: BaselineCheck | undefined): JunitCase[] {
  return [...ci.limits.map(limitCase), ...(check ? baselineCases(check) : [])];
}

const limitElements = { missed: 'failure', unknown: 'error', unclear: 'skipped', 'not-checked': 'skipped' } as const;

function limitCase(limit: CiLimit): JunitCase {
  const { rule, scenario, caseId, variant, state, counts, message } = limit;
  const title = caseTitle({ scenario, caseId: caseId ?? onlyInput, variant });
  const named = { name: `${rule}: ${title}`, classname: 'ci', durationMs: null, details: [] };
  if (state === 'met') return named;
  const element = counts ? limitElements[state] : 'skipped';
  return { ...named, problem: { element, message, type: 'Limit' } };
}

function baselineCases({ outcome, reason, regressions }: BaselineCheck): JunitCase[] {
  const base = { classname: 'baseline', durationMs: null, details: [] };
  if (outcome === 'pass') return [{ ...base, name: 'baseline', note: reason }];
  if (outcome === 'cannot-tell')
    return [{ ...base, name: 'baseline', problem: { element: 'error', message: reason, type: 'NotComparable' } }];
  return regressions.map(({ rule, message, scenario, caseId }) => ({
    ...base,
    name: scenario === undefined ? `baseline: ${rule}` : `baseline: ${rule}: ${scenario} › ${caseId}`,
    problem: { element: 'failure', message, type: 'Regression' },
  }));
}
