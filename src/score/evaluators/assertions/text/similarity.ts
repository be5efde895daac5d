import * as z from 'zod';
import { AssayError } from '../../../../domain/errors.ts';
import { editDistance, TextsTooLong } from '../../../../shared/edit-distance.ts';
import { defineEvaluator, type Evaluate } from '../../evaluator.ts';
import { excerptOf } from '../../excerpt.ts';
import { caseSensitive, comparable, judgeText, oneText, shownAnswer, wantedText } from './answer-text.ts';

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

type SimilarityConfig = z.output<ReturnType<typeof configSchema>>;

/** The answer is nearly a text, letter by letter. */
export const similarity = defineEvaluator({
  type: 'similarity',
  kind: 'assertion',
  summary: 'the answer is similar to a text, by edit distance',
  example: { text: 'Your table is booked for 19:00.', minimum: 0.8 },
  reads: { channels: { answers: 'exact' }, scope: 'answer' },
  configSchema,
  when: () => 'eventually',
  prepare: checkSimilarity,
});

function checkSimilarity(config: SimilarityConfig): Evaluate<'assertion'> {
  return (context) =>
    judgeText(context, (text) => {
      const wanted = wantedText(config.text, context);
      const compared = (one: string) => [...comparable(one.trim(), config.caseSensitive)];
      const value = similarityOf(compared(text), compared(wanted));
      const figures = `Similarity ${rounded(value)}, wanted at least ${config.minimum}`;
      if (value >= config.minimum) return { state: 'pass', reason: figures, value };
      return { state: 'fail', reason: `${figures}: not ${excerptOf(wanted)}; ${shownAnswer(text)}`, value };
    });
}

function similarityOf(actual: readonly string[], wanted: readonly string[]): number {
  const longest = Math.max(actual.length, wanted.length);
  if (longest === 0) return 1;
  try {
    return 1 - editDistance(actual, wanted) / longest;
  } catch (error) {
    if (!(error instanceof TextsTooLong)) throw error;
    throw new AssayError('CRITERION_UNUSABLE', error.message, { hint: 'Compare such texts with `contains` instead.' });
  }
}

/** Never rounded up to what was wanted. */
function rounded(value: number): number {
  return Math.floor(value * 1_000) / 1_000;
}
