import * as z from 'zod';
import { judgeResponseSchema } from '../../domain/rubric.ts';
import { idProblem } from '../../drive/models/prompting/read-reply.ts';
import { quoteSchema } from './evidence.ts';

const reasoningSchema = z.array(
  z.strictObject({ criterion: z.string(), reason: z.string(), evidence: z.array(quoteSchema) }),
);

/** What is understood: judges that know the bare response only may leave the reasoning out, which is reported. */
export const rubricReplySchema = z.strictObject({
  reasoning: reasoningSchema.optional(),
  ...judgeResponseSchema.shape,
});
export type RubricReply = z.output<typeof rubricReplySchema>;

/** What a model is asked for: everything required, and the reasoning before the scores. */
export function askedRubricReplySchema(ids: readonly string[]) {
  const { scores, weighted_score, confidence, issues, highlights } = judgeResponseSchema.shape;
  const score = scores.valueType;
  return z.strictObject({
    reasoning: reasoningSchema,
    scores: z.strictObject(Object.fromEntries(ids.map((id) => [id, score]))),
    weighted_score,
    issues,
    highlights,
    confidence,
  });
}

/** What is wrong with the criteria that a reply scores and reasons about. */
export function coverageProblem(ids: readonly string[], reply: RubricReply): string | undefined {
  const scored = idProblem(ids, Object.keys(reply.scores));
  if (scored !== undefined) return `scores: ${scored}`;
  const reasonedIds = reply.reasoning?.map(({ criterion }) => criterion);
  const reasoned = reasonedIds && idProblem(ids, reasonedIds);
  return reasoned === undefined ? undefined : `reasoning: ${reasoned}`;
}
