import * as z from 'zod';
import { triggersOf, useOf } from '../assertions/skills/skill-used.ts';
import { defineEvaluator } from '../evaluator.ts';

/** Whether a prompt triggered a skill, in the figures that precision and recall are made of. */
export const skillTriggering = defineEvaluator({
  type: 'skill-triggering',
  kind: 'metric',
  summary: 'whether a prompt of `triggers` made the agent use the skill: 1 where it did as it should, else 0',
  reads: { channels: { 'tool-calls': 'total' } },
  configSchema: () => z.strictObject({ skill: z.string().min(1).optional().describe('name of the skill') }),
  prepare:
    ({ skill }) =>
    (context) => {
      const isTrigger = triggersOf(context);
      if (isTrigger === undefined) return { state: 'no-data', reason: 'The case does not say whether it is a trigger' };
      const { isUsed, reason } = useOf(context, skill);
      const value = isUsed === isTrigger ? 1 : 0;
      // Each figure has a value only in the trials that it is a share of.
      const metrics = isTrigger ? { 'skill-recall': isUsed ? 1 : 0 } : { 'skill-false-triggers': isUsed ? 1 : 0 };
      return { state: 'measured', value, metrics: metrics as Record<string, number>, reason };
    },
});
