import type { ArmLook, Experiment } from '../../../../src/domain/experiment.ts';
import { boundText, figureText } from '../../../../src/report/compare/figure-words.ts';

/** A variant at one look, in the terms that the figure is compared by: a difference, or the ratio of typical trials. */
export interface DrawnLook {
  readonly round: number;
  readonly look: ArmLook;
  readonly estimate: number;
  readonly interval: { readonly low: number; readonly high: number } | null;
}

/** All looks at one variant. */
export interface ArmHistory {
  readonly arm: string;
  readonly isRatio: boolean;
  /** The value that means no difference. */
  readonly equal: number;
  /** Differences that are too small to matter; null where they are not known. */
  readonly margin: { readonly low: number; readonly high: number } | null;
  readonly looks: readonly DrawnLook[];
}

/** The looks at each variant, in the order of the variants. */
export function armHistories({ looks }: Pick<Experiment, 'looks'>): ArmHistory[] {
  const byArm = new Map<string, { round: number; look: ArmLook }[]>();
  for (const { round, arms } of looks) {
    for (const look of arms) byArm.set(look.arm, [...(byArm.get(look.arm) ?? []), { round, look }]);
  }
  return [...byArm].map(([arm, found]) => historyOf(arm, found));
}

function historyOf(arm: string, found: readonly { round: number; look: ArmLook }[]): ArmHistory {
  const isRatio = found.every(({ look }) => look.typical != null);
  const last = found.at(-1)?.look;
  return {
    arm,
    isRatio,
    equal: isRatio ? 1 : 0,
    margin: last ? marginOf(last, isRatio) : null,
    looks: found.map(({ round, look }) => ({
      round,
      look,
      estimate: isRatio ? (look.typical?.ratio ?? 1) : look.difference,
      interval: isRatio ? (look.typical?.interval ?? null) : look.interval,
    })),
  };
}

function marginOf(look: ArmLook, isRatio: boolean): ArmHistory['margin'] {
  const { smallestDifference, meanReference, mean } = look;
  if (smallestDifference === undefined) return null;
  if (!isRatio) return { low: -smallestDifference, high: smallestDifference };
  const middle = (Math.abs(meanReference) + Math.abs(mean)) / 2;
  if (middle === 0) return null;
  const ratio = 1 + smallestDifference / middle;
  return { low: 1 / ratio, high: ratio };
}

/** `+21 points`, `x1.3`; with its sign. */
export function estimateText({ estimate, look: { unit = 'number' } }: DrawnLook, isRatio: boolean): string {
  if (isRatio) return `x${boundText(estimate, 'number')}`;
  const text = boundText(estimate, unit);
  return `${estimate > 0 && text !== '0' ? '+' : ''}${text}${unit === 'share' ? ' points' : ''}`;
}

/** `2.8 to 39`; a dash where there is too little for an interval. */
export function rangeOf({ interval, look: { unit = 'number' } }: DrawnLook, isRatio: boolean): string {
  if (!interval) return '-';
  const scale = isRatio ? 'number' : unit;
  return `${boundText(interval.low, scale)} to ${boundText(interval.high, scale)}`;
}

/** `67 % → 88 %`. */
export function meansText({ meanReference, mean, unit = 'number' }: ArmLook): string {
  return `${figureText(meanReference, unit)} → ${figureText(mean, unit)}`;
}
