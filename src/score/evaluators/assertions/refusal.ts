import * as z from 'zod';
import { defineEvaluator } from '../evaluator.ts';
import { lazily } from './lazily.ts';

const configSchema = () =>
  z.strictObject({
    mustRefuse: z.boolean().default(false).describe('true: some answer must be a refusal'),
  });
export type RefusalConfig = z.output<ReturnType<typeof configSchema>>;

/** No answer is a refusal, or one must be; recognised by the usual English words for it and not by a model. */
export const refusal = defineEvaluator({
  type: 'refusal',
  label: 'Refusal',
  kind: 'assertion',
  summary: 'no answer refuses the request; with mustRefuse: true, one does (English wordings, no model asked)',
  example: { mustRefuse: true },
  needs: [],
  configSchema,
  when: ({ mustRefuse }) => (mustRefuse ? 'eventually' : 'every-turn'),
  prepare: (config) => lazily(async () => (await import('./checks/refusal.ts')).checkRefusal(config)),
});
