import { isRecord } from '../../shared/json.ts';
import { shownMessage } from '../session/answer-text.ts';
import { type FailedCheck, isUnjudgeable, type Tried } from './applicable.ts';
import type { ConformanceScenario } from './conformance-report.ts';

/** The result of a scenario, from its checks. */
export function judgeChecks(
  checks: readonly unknown[],
  tried: Tried,
): Pick<ConformanceScenario, 'state' | 'messages' | 'unjudged'> {
  const withStatus = (status: string): FailedCheck[] =>
    checks.flatMap((check) => (isRecord(check) && check.status === status ? [outcomeOf(check)] : []));
  const [failures, warnings] = [withStatus('FAILURE'), withStatus('WARNING')];
  const isJudged = (check: FailedCheck): boolean => !isUnjudgeable(check, tried);
  const failed = messagesOf(failures.filter(isJudged));
  const warned = messagesOf(warnings.filter(isJudged));
  const unjudged = messagesOf([...failures, ...warnings].filter((check) => !isJudged(check)));
  unjudged.push(...messagesOf(withStatus('SKIPPED')));
  if (failed.length > 0) return { state: 'fail', messages: [...failed, ...warned], unjudged };
  if (warned.length > 0) return { state: 'warning', messages: warned, unjudged };
  if (withStatus('SUCCESS').length > 0) return { state: 'pass', messages: [], unjudged };
  return { state: 'error', messages: ['not one of its checks could be judged.'], unjudged };
}

function outcomeOf({ errorMessage, description, id }: Readonly<Record<string, unknown>>): FailedCheck {
  return { id: String(id), message: shownMessage(String(errorMessage ?? description ?? id)) };
}

function messagesOf(checks: readonly FailedCheck[]): string[] {
  return checks.map(({ message }) => message);
}
