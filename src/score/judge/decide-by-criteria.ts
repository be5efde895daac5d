import { AssayError } from '../../domain/errors.ts';
import type { JudgedCriterion } from '../../domain/judge-result.ts';
import { type Fault, faultOf } from '../../domain/outcome.ts';
import { counted } from '../../shared/format.ts';
import type { JudgeConclusion } from './judge.ts';

type Decision = Pick<JudgeConclusion, 'state' | 'reason' | 'score' | 'fault'>;

/**
 * Three-valued: one criterion decided against is a fail whatever the others are; else one undecided criterion leaves
 * the whole undecided; a pass needs every answer. A success criterion that is met has a verified quote; failure
 * criteria that are not met need none, since what did not happen cannot be quoted.
 */
export function decideByCriteria(criteria: readonly JudgedCriterion[]): Decision {
  const against = criteria.filter(isAgainst);
  if (against.length > 0) return { state: 'fail', score: 0, reason: against.map(describeAgainst).join('; ') };
  const unclear = criteria.filter(({ answer }) => answer === 'cannot-tell');
  if (unclear.length > 0) return undecided(`could not be judged: ${unclear.map(describe).join('; ')}`);
  return { state: 'pass', score: 1, reason: describePass(criteria) };
}

/** A conclusion that is neither a pass nor a fail. */
export function undecided(reason: string): { state: 'error'; reason: string; fault: Fault } {
  return { state: 'error', reason, fault: faultOf(new AssayError('JUDGE_UNDECIDED', reason)) };
}

/** Whether a judge gave an answer that decides nothing, rather than none. */
export function isUndecided({ code }: Fault): boolean {
  return code === 'JUDGE_UNDECIDED';
}

function isAgainst({ kind, answer }: JudgedCriterion): boolean {
  return kind === 'failure' ? answer === 'met' : answer === 'not-met';
}

function describeAgainst(criterion: JudgedCriterion): string {
  const found = criterion.kind === 'failure' ? 'failure criterion met' : 'success criterion not met';
  return `${found}: ${describe(criterion)}`;
}

function describe({ text, reason }: JudgedCriterion): string {
  return `${text} (${reason})`;
}

function describePass(criteria: readonly JudgedCriterion[]): string {
  const successes = criteria.filter(({ kind }) => kind === 'success').length;
  const failures = criteria.length - successes;
  const parts = [
    successes > 0 ? `${counted(successes, 'success criterion', 'success criteria')} met` : '',
    failures > 0 ? `none of ${counted(failures, 'failure criterion', 'failure criteria')} met` : '',
  ];
  return parts.filter((part) => part !== '').join(', ');
}
