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

/** Every exit code, with its meaning for a run; other commands use them alike. */
export const exitCodes: Readonly<Record<number, string>> = {
  0: 'everything passed',
  1: 'something failed, or became worse than the baseline',
  2: 'the request or a file is wrong: nothing was run, or a criterion cannot be used',
  3: 'something could not be judged, and nothing failed',
  130: 'the user interrupted the command',
};

/** One of `exitCodes`. */
export function exitCodeOf(summary: RunSummary, wanted?: WantedRate): number {
  const { totals, run, fileFaults } = summary;
  if (run.status === 'interrupted') return 130;
  if (fileFaults > 0) return 2;
  const isGoodEnough = wanted !== undefined && wanted.rate !== null && wanted.rate >= wanted.atLeast;
  if (totals.fail > 0 && !isGoodEnough) return 1;
  return totals.error + totals.skipped > 0 ? 3 : 0;
}
