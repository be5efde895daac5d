import type { RunSummary } from '../../domain/run.ts';
import { readRunFigures } from '../../report/reporters/read-run-figures.ts';
import type { StoredRun } from '../../report/reporters/reporter.ts';

/** `--min-pass-rate`, and the pass rate that the reports of the run show. */
interface WantedRate {
  readonly atLeast: number;
  readonly rate: number | null;
}

/** The pass rate that is wanted, with that of the run; undefined where none is wanted. */
export async function wantedRate(run: StoredRun, atLeast: number | undefined): Promise<WantedRate | undefined> {
  return atLeast === undefined ? undefined : { atLeast, rate: (await readRunFigures(run)).passRate.rate };
}

/** 0 all passed · 1 something failed · 2 a file is wrong · 3 something could not be judged · 130 interrupted. */
export function exitCodeOf(summary: RunSummary, wanted?: WantedRate): number {
  const { totals, run, fileFaults } = summary;
  if (run.status === 'interrupted') return 130;
  if (fileFaults > 0) return 2;
  const isGoodEnough = wanted !== undefined && wanted.rate !== null && wanted.rate >= wanted.atLeast;
  if (totals.fail > 0 && !isGoodEnough) return 1;
  return totals.error + totals.skipped > 0 ? 3 : 0;
}
