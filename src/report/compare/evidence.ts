import { allMarks, distanceOf, isReused, type Mark } from '../../domain/marks.ts';
import type { CaseCounts } from '../../domain/run.ts';
import { canonicalJson } from '../../shared/json.ts';
import { caseKeyOf } from './case-key.ts';

/**
 * The counts that a figure rests on: without reused trials, and of the others only those nearest to the real thing. Of a
 * run with faults, that is the arm without them; where recordings answered in every trial, it is all of them.
 */
export function evidenceOf(counts: readonly CaseCounts[]): CaseCounts[] {
  return wholeCounts(nearestOf(counts));
}

/** The marks of the trials that a figure rests on: it is about nothing else. */
export function marksOfEvidence(counts: readonly CaseCounts[]): Mark[] {
  const carried = new Set(nearestOf(counts).flatMap(({ marks = [] }) => marks));
  return allMarks.filter((mark) => carried.has(mark));
}

/** Trials of this run under every arm: reused ones are not evidence. */
export function freshCounts(counts: readonly CaseCounts[]): CaseCounts[] {
  return wholeCounts(counts.filter((one) => !isReused(one)));
}

function nearestOf(counts: readonly CaseCounts[]): CaseCounts[] {
  const fresh = counts.filter((one) => !isReused(one));
  const nearest = Math.min(...fresh.map(({ marks = [] }) => distanceOf(marks)));
  return fresh.filter(({ marks = [] }) => distanceOf(marks) === nearest);
}

/** All trials of a case under a variant in one, whatever marks they have. */
export function wholeCounts(counts: readonly CaseCounts[]): CaseCounts[] {
  const whole = new Map<string, CaseCounts>();
  for (const one of counts) {
    const key = `${caseKeyOf(one)}${canonicalJson(one.variant)}`;
    const before = whole.get(key);
    whole.set(key, before ? added(before, one) : one);
  }
  return [...whole.values()];
}

function added({ marks: _, ...before }: CaseCounts, { pass, fail, unjudged }: CaseCounts): CaseCounts {
  return {
    ...before,
    ...{ pass: before.pass + pass, fail: before.fail + fail, unjudged: before.unjudged + unjudged },
  };
}
