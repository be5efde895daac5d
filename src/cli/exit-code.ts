import type { RunSummary } from '../domain/run.ts';

/** 0 all passed · 1 something failed · 2 a file is wrong · 3 something could not be judged · 130 interrupted. */
export function exitCodeOf(summary: RunSummary, minPassRate?: number): number {
  const { totals, run, fileFaults } = summary;
  if (run.status === 'interrupted') return 130;
  if (fileFaults > 0) return 2;
  const isGoodEnough = minPassRate !== undefined && totals.pass / totals.planned >= minPassRate;
  if (totals.fail > 0 && !isGoodEnough) return 1;
  return totals.error + totals.skipped > 0 ? 3 : 0;
}
