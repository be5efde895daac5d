import * as z from 'zod';
import { lastAnswer } from '../../../domain/trace.ts';
import { compileJudge, unusableCriterion } from '../../criteria/index.ts';
import { criteriaListSchema } from '../../criteria/source-schemas.ts';
import { defineEvaluator } from '../evaluator.ts';

const configSchema = () =>
  z.strictObject({
    passCriteria: criteriaListSchema.describe('boolean expressions that must all be true'),
    failCriteria: criteriaListSchema.describe('boolean expressions that must all be false'),
  });

/** The boolean judge protocol: every criterion computed and explained. */
export const criteria = defineEvaluator({
  type: 'criteria',
  kind: 'assertion',
  summary: 'boolean expressions over result, error, input and expected',
  example: { passCriteria: ['result.count === 2'], failCriteria: ['error !== undefined'] },
  needs: ['call-answer'],
  reads: { channels: { 'tool-results': 'exact' } },
  configSchema,
  prepare({ passCriteria, failCriteria }) {
    const judge = compileJudge(passCriteria, failCriteria);
    return ({ trial, trace }) => {
      const { input, expected } = trial.case;
      const answer = lastAnswer(trace);
      const scope = { result: answer?.result, error: answer?.error, input, expected };
      const { output, unusable } = judge(scope, { testName: trial.scenario.name });
      const findings = { criteria: output };
      const [defect] = unusable;
      if (defect) return { state: 'error', error: unusableCriterion(defect), findings };
      return { state: output.verdict === 'PASS' ? 'pass' : 'fail', reason: output.summary.reason, findings };
    };
  },
});
