import { shownMessage } from '../calls/answer-text.ts';
import { behaviours } from '../calls/behaviours.ts';
import { missingNeed } from '../calls/failure-cause.ts';
import { ruleOfFailure } from '../calls/failure-rule.ts';
import type { RequestEnd } from '../calls/server-under-check.ts';
import { type CheckProblem, problemOf, type RuleText } from '../rule.ts';

type Result = Readonly<Record<string, unknown>>;

/** The problem of a request that should have been answered with a result; `defectOf` looks at the result. */
export function requestProblems(
  what: string,
  end: RequestEnd,
  { refused, malformed }: { readonly refused: RuleText; readonly malformed: RuleText },
  defectOf: (result: Result) => string | undefined,
): CheckProblem[] {
  if (end.kind === 'unauthorized') return [];
  if (end.kind === 'failed')
    return [problemOf(ruleOfFailure(end.message), { message: `${what}: ${shownMessage(end.message)}` })];
  if (end.kind === 'timeout') return [problemOf(refused, { message: `${what}: no answer in time.` })];
  const { answer } = end;
  if (answer.kind === 'error') {
    const rule = missingNeed(answer.message) === undefined ? refused : behaviours.needMissing;
    return [problemOf(rule, { message: `${what}: ${answer.code} ${shownMessage(answer.message)}` })];
  }
  const defect = defectOf(answer.result);
  return defect === undefined ? [] : [problemOf(malformed, { message: `${what}: ${defect}` })];
}

/** The problem of a request that should have been refused. */
export function acceptedProblems(what: string, end: RequestEnd, accepted: RuleText): CheckProblem[] {
  if (end.kind === 'unauthorized') return [];
  if (end.kind === 'failed')
    return [problemOf(ruleOfFailure(end.message), { message: `${what}: ${shownMessage(end.message)}` })];
  if (end.kind === 'timeout') return [problemOf(accepted, { message: `${what}: no answer in time.` })];
  return end.answer.kind === 'error' ? [] : [problemOf(accepted, { message: `${what}: answered with a result.` })];
}
