import type { EvaluatorResult } from '../../../domain/outcome.ts';
import type { TrialRecord } from '../../../domain/record.ts';
import { decidingCriteria } from '../../presentation/trial-text.ts';

/** One thing that had to hold and did not. */
export interface FailedCheck {
  /** The type of the evaluator. */
  readonly rule: string;
  /** Tells checks of one type in one trial apart, and is the same in every run. */
  readonly key: string;
  readonly message: string;
}

/** What failed in a trial, as finely as it is known: single criteria and tests rather than their evaluator. */
export function failedChecks(record: TrialRecord): FailedCheck[] {
  const seen = new Map<string, number>();
  const checks = record.evaluatorResults.flatMap((result) => {
    const number = (seen.get(result.type) ?? 0) + 1;
    seen.set(result.type, number);
    if (result.kind !== 'assertion' || result.state !== 'fail') return [];
    const finer = finerChecks(result, record);
    return finer.length > 0 ? finer : [{ rule: result.type, key: String(number), message: result.reason }];
  });
  if (checks.length > 0 || record.outcome !== 'fail') return checks;
  // Made elsewhere: that it failed is all that is known.
  return [{ rule: 'trial', key: '', message: record.reason }];
}

function finerChecks({ type }: EvaluatorResult, record: TrialRecord): FailedCheck[] {
  if (type === 'criteria') {
    return decidingCriteria({ criteria: record.criteria, gates: [] }).map(({ criterion, explanation }) => ({
      rule: type,
      key: criterion,
      message: `${criterion}: ${explanation}`,
    }));
  }
  if (type !== 'tool-health') return [];
  return record.toolHealth
    .filter(({ state }) => state === 'fail')
    .map(({ testName, toolName, details }) => ({
      rule: type,
      key: `${toolName} ${testName}`,
      message: `${testName} (${toolName}): ${details}`,
    }));
}
