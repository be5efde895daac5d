import { resolve } from 'node:path';
import { writeReportFile } from '../../compose/run/write-reports.ts';
import { AssayError } from '../../domain/errors.ts';
import { summarizeRun } from '../../domain/run.ts';
import type { Comparison } from '../../report/compare/comparison.ts';
import { htmlReporter } from '../../report/reporters/html/html.ts';
import { type CliContext, write } from './context.ts';
import type { OpenPlaces } from './side-places.ts';

/** Writes the page of the newer run, on which the comparison is one of the views. */
export async function writeComparisonPage(
  comparison: Comparison,
  places: OpenPlaces,
  output: string | undefined,
  { cwd, stderr }: CliContext,
): Promise<void> {
  const store = await places.openStore();
  const run = await store.findRun(comparison.b.runId);
  if (!run) {
    throw new AssayError('USAGE', 'B is not in the store, so that there is no page of its trials.', {
      hint: 'Write the comparison as markdown or json instead.',
    });
  }
  const summary = summarizeRun(run, await store.countTrials(run.runId), Date.now());
  const page = { ...htmlReporter, fileName: 'comparison.html' };
  const path = await writeReportFile(page, { store, summary, comparison }, resolve(cwd, output ?? '.'));
  await write(stderr, `  html: ${path}\n`);
}
