import * as z from 'zod';
import { armLookSchema, experimentEndings } from '../../domain/experiment.ts';
import type { RunHeader } from '../../domain/run.ts';
import { variantParts } from '../../domain/variant.ts';
import { lastLooks } from '../../report/compare/experiment-rounds.ts';
import { experimentLines } from '../../report/presentation/experiment-text.ts';
import { clipped } from './text.ts';

/** An experiment in short. */
export const experimentFactsSchema = z.object({
  by: z.enum(variantParts).describe('the part of the variants that is compared'),
  metric: z.string().describe('the figure that decides'),
  reference: z.string().describe('the variant that the others are compared with'),
  ending: z
    .enum(experimentEndings)
    .nullable()
    .describe('`decided`: every variant has an answer; null: it goes on, or was interrupted'),
  reason: z.string().nullable().describe('why it ended undecided'),
  rounds: z.object({ done: z.number(), planned: z.number() }),
  maxTrials: z.number(),
  variants: z
    .array(armLookSchema.pick({ arm: true, answer: true, summary: true, isOnTheseCases: true, trialsToDecide: true }))
    .describe('the last answer about each variant, compared with the reference'),
});

/** The decision of an experiment; nothing for other runs. */
export function experimentFacts({ experiment, request: { experiment: plan } }: RunHeader): {
  readonly experiment?: z.input<typeof experimentFactsSchema>;
} {
  if (!experiment || !plan) return {};
  const { reference, ending, reason, looks } = experiment;
  const variants = lastLooks(experiment).map(({ arm, answer, summary, isOnTheseCases, trialsToDecide }) => {
    return { arm, answer, summary: clipped(summary), isOnTheseCases, trialsToDecide };
  });
  const rounds = { done: looks.length, planned: plan.rounds.length };
  const { by, metric, maxTrials } = plan;
  return { experiment: { by, metric, reference, ending, reason, rounds, maxTrials, variants } };
}

/** The same in lines; none for other runs. */
export function experimentText(header: RunHeader): string[] {
  return experimentLines(header).map((line) => clipped(line));
}
