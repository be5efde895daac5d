import * as z from 'zod';
import { defineEvaluator } from '../evaluator.ts';
import { lazily } from './lazily.ts';
import { caseSensitive, oneText } from './wanted-text.ts';

const configSchema = () =>
  z.strictObject({
    text: oneText,
    minimum: z
      .number()
      .min(0)
      .max(1)
      .default(0.8)
      .describe('least similarity: 1 is the same text, 0 one that has nothing in common (1 - edit distance / length)'),
    caseSensitive,
  });
export type SimilarityConfig = z.output<ReturnType<typeof configSchema>>;

/** The answer is nearly a text, letter by letter. */
export const similarity = defineEvaluator({
  type: 'similarity',
  label: 'Similarity',
  kind: 'assertion',
  summary: 'the answer is similar to a text, by edit distance',
  example: { text: 'Your table is booked for 19:00.', minimum: 0.8 },
  needs: [],
  configSchema,
  when: () => 'eventually',
  prepare: (config) => lazily(async () => (await import('./checks/similarity.ts')).checkSimilarity(config)),
});
