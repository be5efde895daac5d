import { costText, unknownFigure } from '../shared/format.ts';

/** Cost of several trials: the sum of the reported costs, and how many trials reported none. */
export interface CostSum {
  readonly knownUsd: number;
  /** How many of the trials did not report their cost. */
  readonly unknownTrials: number;
}

/** The cost of no trial at all. */
export const noCost: CostSum = { knownUsd: 0, unknownTrials: 0 };

/** A sum with the cost of one more trial. */
export function addCost({ knownUsd, unknownTrials }: CostSum, costUsd: number | null): CostSum {
  return costUsd === null
    ? { knownUsd, unknownTrials: unknownTrials + 1 }
    : { knownUsd: knownUsd + costUsd, unknownTrials };
}

/** The whole cost; null as long as the cost of a single trial is unknown. */
export function wholeCost({ knownUsd, unknownTrials }: CostSum): number | null {
  return unknownTrials > 0 ? null : knownUsd;
}

/** Cost of several trials for people to read; says so where the cost of some trials is unknown. */
export function costSumText(sum: CostSum): string {
  const { knownUsd, unknownTrials } = sum;
  return sumText(knownUsd === 0 && unknownTrials > 0 ? undefined : costText(knownUsd), unknownTrials, 'cost');
}

/** A sum for people to read: what is known of it is the least that it can be. Undefined where nothing is known. */
export function sumText(knownPart: string | undefined, unknownTrials: number, what: 'cost' | 'tokens'): string {
  if (unknownTrials === 0) return knownPart ?? unknownFigure;
  const whose = unknownTrials === 1 ? '1 trial did not report its' : `${unknownTrials} trials did not report their`;
  return `${knownPart === undefined ? '' : `at least ${knownPart}; `}${whose} ${what}`;
}

/** A sum of which nothing is known as soon as one part is unknown. */
export function sumOf(parts: readonly (number | null)[]): number | null {
  return parts.reduce<number | null>((sum, part) => (sum === null || part === null ? null : sum + part), 0);
}
