import { differBeyondChance } from '../../shared/stats/chance-rule.ts';
import { mean } from '../../shared/stats/spread.ts';

/** Whether a figure is so high or so low that it means something. */
export type FigureLevel = 'low' | 'between' | 'high';

/** The bounds of a figure, and how far it must lie beyond the other side to be high beside it. */
export interface FigureBounds {
  readonly low: number;
  readonly high: number;
  readonly margin: number;
}

/** One value for each trial of the side, and of the side or sides that it is compared with (none: it stands alone). */
export interface ComparedValues {
  readonly own: readonly number[];
  readonly others: readonly number[];
}

/** Whether the trials of the two differ by more than chance explains; false where there is nothing to compare with. */
export function isDifferent({ own, others }: ComparedValues, looks: number): boolean {
  return own.length > 0 && others.length > 0 && differBeyondChance(others, own, looks);
}

/**
 * The level of a figure. A side that stands alone is measured by the bounds. Beside another, a side is only singled out
 * where the two differ by more than chance explains; otherwise a level must hold on both, so that neither is blamed for
 * its luck.
 */
export function levelOf(values: ComparedValues, { low, high, margin }: FigureBounds, looks: number): FigureLevel {
  const { own, others } = values;
  if (own.length === 0) return 'between';
  const ownMean = mean(own);
  if (others.length === 0) return ownMean >= high ? 'high' : ownMean <= low ? 'low' : 'between';
  const otherMean = mean(others);
  if (!isDifferent(values, looks)) {
    if (Math.min(ownMean, otherMean) >= high) return 'high';
    return Math.max(ownMean, otherMean) < low ? 'low' : 'between';
  }
  if (ownMean > otherMean) return ownMean >= Math.min(high, otherMean + margin) && ownMean > low ? 'high' : 'between';
  return ownMean <= low ? 'low' : 'between';
}
