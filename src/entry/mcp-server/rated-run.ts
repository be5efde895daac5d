import * as z from 'zod';
import { type RunHeader, summarizeRun } from '../../domain/run.ts';
import type { Store } from '../../keep/store/store.ts';
import { passRateSentence } from '../../report/presentation/figures.ts';
import { readRunFigures } from '../../report/reporters/run-figures.ts';
import { runFacts, runFactsSchema } from './text.ts';

const count = z.number();

/** An interval of 95 %, or of the level beside it. */
export const intervalSchema = z.object({ low: z.number(), high: z.number() }).nullable();

/** The facts of a run with its pass rate. */
export const ratedRunSchema = runFactsSchema.extend({
  passRate: z
    .object({ rate: z.number().nullable(), interval: intervalSchema, cases: count, trials: count, passed: count })
    .describe('mean over the cases of the share of judged trials that passed, with its 95 % interval'),
});

/** The same for a stored run, and its pass rate in words. */
export async function ratedRun(run: RunHeader, store: Store) {
  const summary = summarizeRun(run, await store.countTrials(run.runId), Date.now());
  const figures = await readRunFigures({ store, summary });
  return {
    facts: { ...runFacts(summary), passRate: figures.passRate },
    sentence: `pass rate ${passRateSentence(figures)}`,
  };
}
