import { CaseCountTable } from '../../domain/case-count-table.ts';
import { allMarks, distanceOf, isReused, type Mark } from '../../domain/marks.ts';
import type { CaseCounts } from '../../domain/run.ts';
import { everyRow, filteredRows, type Rows } from '../../shared/rows.ts';

/**
 * The counts that a figure rests on: without reused trials, and of the others only those nearest to the real thing. Of a
 * run with faults, that is the arm without them; where recordings answered in every trial, it is all of them.
 */
export function evidenceOf(counts: Rows<CaseCounts>): Rows<CaseCounts> {
  return wholeCounts(nearestOf(counts));
}

/** The marks of the trials that a figure rests on: it is about nothing else. */
export function marksOfEvidence(counts: Rows<CaseCounts>): Mark[] {
  const carried = new Set<Mark>();
  for (const { marks = [] } of nearestOf(counts)) for (const mark of marks) carried.add(mark);
  return allMarks.filter((mark) => carried.has(mark));
}

/** Trials of this run under every arm: reused ones are not evidence. */
export function freshCounts(counts: Rows<CaseCounts>): Rows<CaseCounts> {
  return wholeCounts(filteredRows(counts, (one) => !isReused(one)));
}

function nearestOf(counts: Rows<CaseCounts>): Rows<CaseCounts> {
  const fresh = filteredRows(counts, (one) => !isReused(one));
  let nearest = Number.POSITIVE_INFINITY;
  for (const { marks = [] } of fresh) nearest = Math.min(nearest, distanceOf(marks));
  return filteredRows(fresh, ({ marks = [] }) => distanceOf(marks) === nearest);
}

/** All trials of a case under a variant in one, whatever marks they have. Without marks they are in one already. */
export function wholeCounts(counts: Rows<CaseCounts>): Rows<CaseCounts> {
  if (everyRow(counts, ({ marks }) => marks === undefined)) return counts;
  const whole = new CaseCountTable();
  for (const one of counts) whole.add(one, true);
  return whole;
}
