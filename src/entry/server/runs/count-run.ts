import { type RunHeader, summarizeRun } from '../../../domain/run.ts';
import type { Store } from '../../../keep/store/store.ts';
import { ciReport } from '../../../report/presentation/ci-text.ts';
import { readAttackTables } from '../../../report/reporters/attack-section.ts';
import { readCiReport, readRunFigures } from '../../../report/reporters/run-figures.ts';
import type { CountedRun } from '../run-cache.ts';

/** Counts the trials of a run, and computes its figures. */
export async function readCounted(run: RunHeader, store: Store): Promise<CountedRun> {
  const counts = await store.countTrials(run.runId);
  const summary = summarizeRun(run, counts, Date.now());
  const figures = await readRunFigures({ store, summary });
  const verdict = await readCiReport({ store, summary });
  const attacks = await readAttackTables({ store, summary });
  const cells = await store.countByCell(run.runId);
  return { counts, cells, figures, attacks, ci: verdict ? ciReport(verdict) : null };
}
