import type { Reporter } from '../reporter.ts';

/** One page that holds everything: charts, filters, and the trace of each trial; it needs no network. */
export const htmlReporter: Reporter = {
  name: 'html',
  summary: 'one self-contained page with charts, filters and traces',
  fileName: 'report.html',
  async *render(run) {
    const { pageOf } = await import('./page.ts');
    yield* pageOf(run);
  },
};
