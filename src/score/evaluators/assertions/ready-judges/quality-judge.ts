import * as z from 'zod';
import { lazySchema } from '../../../../shared/lazy-schema.ts';
import { authorAdditions } from '../../../judge/mode-configs.ts';
import { judgeEvaluator } from '../judge/judge-evaluator.ts';
import { qualities, qualityNames, qualityOf } from './qualities.ts';

const list = qualityNames.map((name) => `\`${name}\`: ${qualities[name].summary}`).join('; ');

const configSchema = lazySchema(() =>
  z.strictObject({ quality: z.enum(qualityNames).describe(list), ...authorAdditions() }),
);

/** Criteria for qualities that many agents are judged by, with labels that show how good a judge is at them. */
export const qualityJudge = judgeEvaluator({
  type: 'quality-judge',
  summary:
    'plan, plan adherence, selection of tools, their arguments, or refusals, by ready-made criteria answered with evidence',
  example: { quality: 'tool-selection' },
  configSchema,
  reads: ({ quality }) => qualityOf(quality).reads ?? {},
  ownCriteria: ({ quality }) => qualityOf(quality).criteria,
  sharesJudge: true,
  loadMode: async () => (await import('../../../judge/modes/criteria.ts')).criteria,
});
