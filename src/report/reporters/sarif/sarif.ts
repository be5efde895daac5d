import type { Reporter } from '../reporter.ts';

/** What failed as findings in the scenario files, for code scanning. */
export const sarifReporter: Reporter = {
  name: 'sarif',
  summary: 'SARIF 2.1.0 for code scanning: what failed, where it is asked for',
  fileName: 'assay.sarif',
  async *render(run) {
    const { sarifOf } = await import('./sarif-run.ts');
    yield* sarifOf(run);
  },
};
