import type { PassRate } from '../../shared/stats/pass-rate.ts';
import type { SkillTriggering } from '../compare/skill-triggering.ts';
import { percentText, rangeText } from './figures.ts';

/** A share with its interval: `80% (44%–97%)`; a share of nothing is unknown. */
export function shareText({ rate, interval }: PassRate): string {
  return rate === null || interval === null ? 'unknown' : `${percentText(rate)} (${rangeText(interval)})`;
}

/** Precision and recall on one line. */
export function triggeringText(figures: SkillTriggering): string {
  const { truePositives, falsePositives, falseNegatives, trueNegatives } = figures;
  const wanted = `${truePositives} of ${truePositives + falseNegatives} trials that should trigger it did`;
  const unwanted = `${falsePositives} of ${falsePositives + trueNegatives} that should not did`;
  return `precision ${shareText(figures.precision)}, recall ${shareText(figures.recall)}: ${wanted}, ${unwanted}`;
}
