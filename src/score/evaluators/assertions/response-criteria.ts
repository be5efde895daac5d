import * as z from 'zod';
import { criteriaListSchema } from '../../criteria/source-schemas.ts';
import { defineEvaluator } from '../evaluator.ts';
import { lazily } from './lazily.ts';

const seen =
  'over `result` (of this answer: text, json, messages, toolCalls with name and arguments, turn, latencyMs, tokenUsage), `input` and `expected`';

const configSchema = () =>
  z
    .strictObject({
      passCriteria: criteriaListSchema.describe(`boolean expressions that must all be true, ${seen}`),
      failCriteria: criteriaListSchema.describe(`boolean expressions that must all be false, ${seen}`),
    })
    .refine(
      ({ passCriteria, failCriteria }) => passCriteria.length + failCriteria.length > 0,
      'Give at least one of passCriteria and failCriteria',
    );
export type ResponseCriteriaConfig = z.output<ReturnType<typeof configSchema>>;

/** Boolean expressions about the answer, each explained. */
export const responseCriteria = defineEvaluator({
  type: 'response-criteria',
  label: 'Response Criteria',
  kind: 'assertion',
  summary: "boolean expressions over the answer's text, JSON, tool calls, time and tokens",
  example: { passCriteria: ['result.text.length < 500', 'result.toolCalls.length > 0'] },
  needs: [],
  configSchema,
  when: () => 'eventually',
  prepare: (config) =>
    lazily(async () => (await import('./checks/response-criteria.ts')).checkResponseCriteria(config)),
});
