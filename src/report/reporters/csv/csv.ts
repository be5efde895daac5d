import type { Reporter } from '../reporter.ts';

/** A table for spreadsheets and scripts. */
export const csvReporter: Reporter = {
  name: 'csv',
  summary: 'one row per trial, every metric a column',
  fileName: 'trials.csv',
  async *render(run) {
    const { csvOf } = await import('./csv-rows.ts');
    yield* csvOf(run);
  },
};
