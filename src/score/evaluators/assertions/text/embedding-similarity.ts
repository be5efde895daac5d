import * as z from 'zod';
import { assistantText } from '../../../../domain/turn.ts';
import { defineEvaluator, type Evaluate } from '../../evaluator.ts';
import { excerptOf } from '../../excerpt.ts';
import { oneOrMoreTexts, shownAnswer, verdict, wantedTexts } from './answer-text.ts';

const configSchema = () =>
  z.strictObject({
    text: oneOrMoreTexts
      .optional()
      .describe('by default the `expected` of the case; of several texts the nearest counts'),
    minimum: z
      .number()
      .min(-1)
      .max(1)
      .default(0.8)
      .describe('least cosine similarity: 1 is the same direction; what is near depends on the model'),
    model: z
      .string()
      .min(1)
      .optional()
      .describe('`provider/model` that makes the embeddings; by default `models.embedding` of the config'),
  });

type EmbeddingConfig = z.output<ReturnType<typeof configSchema>>;

/** The answer means nearly the same as a text, by the embeddings of a model. */
export const embeddingSimilarity = defineEvaluator({
  type: 'embedding-similarity',
  kind: 'assertion',
  summary: 'the answer means nearly the same as a text, by the cosine similarity of embeddings',
  example: { text: 'Your table is booked for 19:00.', minimum: 0.8, model: 'openai/text-embedding-3-small' },
  reads: { channels: { answers: 'exact' }, scope: 'answer' },
  configSchema,
  when: () => 'eventually',
  prepare: checkEmbeddings,
});

function checkEmbeddings({ text, minimum, model }: EmbeddingConfig): Evaluate<'assertion'> {
  return async (context) => {
    const answer = context.turn && assistantText(context.turn);
    if (answer === undefined) return verdict(false, 'There is no assistant message to look at');
    if (answer.trim() === '') return verdict(false, 'The answer is empty');
    const wanted = wantedTexts(text, context);
    const embedded = await context.judging.embed([answer, ...wanted], model, context.signal);
    if (embedded.error) return { state: 'error', error: embedded.error };
    const [own = [], ...others] = embedded.vectors;
    const values = others.map((vector) => cosine(own, vector));
    const value = Math.max(...values);
    const nearest = wanted[values.indexOf(value)] ?? wanted[0];
    const figures = `Similarity ${rounded(value)}, wanted at least ${minimum} (${embedded.model})`;
    if (value >= minimum) return { state: 'pass', reason: figures, value };
    return { state: 'fail', reason: `${figures}: not near ${excerptOf(nearest)}; ${shownAnswer(answer)}`, value };
  };
}

function cosine(a: readonly number[], b: readonly number[]): number {
  const dot = (x: readonly number[], y: readonly number[]): number =>
    x.reduce((sum, figure, index) => sum + figure * (y[index] ?? 0), 0);
  const value = dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
  // Rounding can leave the same text a little beyond 1.
  return Math.max(-1, Math.min(1, value));
}

/** Never rounded up to the minimum. */
function rounded(value: number): number {
  return Math.floor(value * 1_000) / 1_000;
}
