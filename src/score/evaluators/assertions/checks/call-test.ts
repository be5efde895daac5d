import { AssayError } from '../../../../domain/errors.ts';
import type { ObservedCall } from '../../../../domain/tool-calls.ts';
import { compileCriterion } from '../../../criteria/index.ts';
import type { EvaluationContext } from '../../evaluator.ts';
import { shortened } from '../../gates/checks/excerpt.ts';
import { callMeaning } from './call-meaning.ts';
import { compileArguments, compileMatcher, type Difference } from './match-value.ts';

interface WantedCall {
  readonly args?: Readonly<Record<string, unknown>> | undefined;
  readonly noOtherArgs?: boolean;
  readonly schema?: unknown;
  readonly criteria?: readonly string[];
}

/** Says why a call is not as wanted; undefined when it is. */
export type CallTest = (call: ObservedCall, context: EvaluationContext) => string | undefined;

/** Makes ready what a scenario wants of a call's arguments. */
export function compileCallTest({ args, noOtherArgs = false, schema, criteria = [] }: WantedCall): CallTest {
  const checks: Difference[] = [
    ...(args || noOtherArgs ? [compileArguments(args ?? {}, noOtherArgs)] : []),
    ...(schema === undefined ? [] : [compileMatcher({ schema: schema as boolean })]),
  ];
  const judge = compileCriteria(criteria);
  return (call, context) => {
    for (const check of checks) {
      const difference = check(call.input, 'input');
      if (difference !== undefined) return difference;
    }
    return judge(call, context);
  };
}

/** Criteria that must all be true of a call. */
export function compileCriteria(sources: readonly string[]): CallTest {
  const criteria = sources.map((source) => compileCriterion(source));
  return (call, { trial }) => {
    if (criteria.length === 0) return undefined;
    const { input, error } = call;
    const scope = { input, error, result: callMeaning(call), expected: trial.case.expected };
    for (const criterion of criteria) {
      const answer = criterion.answer(scope);
      if (answer.state === 'unusable') {
        const { message, column, hint } = answer.defect;
        throw new AssayError('CRITERION_UNUSABLE', `${criterion.source}: ${message} (column ${column})`, { hint });
      }
      if (answer.state === 'not-met') return shortened(answer.explanation('pass'));
    }
    return undefined;
  };
}
