import type { ArmLook, Experiment } from '../../domain/experiment.ts';
import { levelsOfLooks } from '../../shared/stats/alpha-spending.ts';

/** How often an experiment may end with a wrong answer: a little less than promised, as variances are estimated. */
export const errorRate = 0.045;
/** With more looks than this hardly a trial is saved. */
const mostRounds = 10;
/** From so many repeats on a round has more than one, so settled cases can rest. */
const fewestForPairs = 6;
/** A case that ended alike in so many trials of each variant is settled. */
const settledAfter = 4;

/** How many repeats of each case each round adds, where there may be so many in all. */
export function roundSizes(repeats: number): number[] {
  const size = repeats < fewestForPairs ? 1 : Math.max(2, Math.ceil(repeats / mostRounds));
  const rounds = Math.ceil(repeats / size);
  return Array.from({ length: rounds }, (_, round) => Math.min(size, repeats - round * size));
}

/**
 * The error rate at which each round is tested: all looks together are wrong in at most `level`. The share that
 * may be used up grows with the share of the plan to the power of 1.5: between the bounds of Pocock, which stop early and find
 * less, and those of O'Brien and Fleming, which hardly ever stop early.
 */
export function roundLevels(rounds: readonly number[], level: number): number[] {
  const all = rounds.reduce((sum, size) => sum + size, 0);
  let repeats = 0;
  const shares = rounds.map((size) => {
    repeats += size;
    return repeats / all;
  });
  return levelsOfLooks(shares, (share) => level * share ** 1.5);
}

/** Where a repeat (counted from 1) lies in the plan: its round, and its place in the round, both from 0. */
export function placeInPlan(
  repeat: number,
  rounds: readonly number[],
): { readonly round: number; readonly place: number } {
  let place = repeat - 1;
  for (const [round, size] of rounds.entries()) {
    if (place < size) return { round, place };
    place -= size;
  }
  return { round: rounds.length, place };
}

/** Whether further trials of a case would hardly show anything: all were alike on every side. */
export function isSettled(sides: readonly (readonly number[])[]): boolean {
  return sides.every((values) => values.length >= settledAfter && values.every((value) => value === values[0]));
}

/** The last look at each variant. */
export function lastLooks({ looks }: Experiment): ArmLook[] {
  const last = new Map<string, ArmLook>();
  for (const { arms } of looks) for (const arm of arms) last.set(arm.arm, arm);
  return [...last.values()];
}
