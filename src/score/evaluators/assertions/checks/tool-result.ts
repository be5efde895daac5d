import type { ObservedCall } from '../../../../domain/tool-calls.ts';
import { isNamed } from '../../../../domain/tool-names.ts';
import type { Evaluate, EvaluationContext } from '../../evaluator.ts';
import { shortened } from '../../gates/checks/excerpt.ts';
import { verdict } from '../said.ts';
import type { ToolResultConfig } from '../tool-result.ts';
import { callMeaning } from './call-meaning.ts';
import { compileCriteria } from './call-test.ts';
import { compileMatcher } from './match-value.ts';
import { calledNames, callsIn, callTexts, lastingFailure } from './shown-calls.ts';

/** How `tool-result` looks at the calls. */
export function checkToolResult(config: ToolResultConfig): Evaluate<'assertion'> {
  const { tool, of, within, criteria, ...words } = config;
  const test = resultTest(criteria, words);
  return (context) => {
    const calls = callsIn(context, within);
    const answered = calls.filter((call) => call.isAnswered && isNamed(call, tool));
    const looked = (of === 'last' ? answered.slice(-1) : answered).map((call) => ({
      ...call,
      difference: test(call, context),
    }));
    const right = looked.filter(({ difference }) => difference === undefined);
    const wrong = looked.filter(({ difference }) => difference !== undefined);
    const why = callTexts(wrong, ({ difference }) => difference ?? '');
    if (of === 'every') {
      if (wrong.length === 0) return verdict(true, `${right.length} of ${looked.length} results are as wanted`);
      return lastingFailure(`${wrong.length} of ${looked.length} results are not as wanted: ${why}`, within);
    }
    if (looked.length === 0) return verdict(false, `${tool} has given no result; ${calledNames(calls)}`);
    if (right.length === 0) return verdict(false, `No result of ${tool} is as wanted: ${why}`);
    return verdict(true, `The result is as wanted: ${callTexts(right)}`);
  };
}

/** A failed call has no result that words could fit; criteria may look at its error. */
function resultTest(criteria: readonly string[], words: Parameters<typeof compileMatcher>[0]) {
  const difference = compileMatcher(words);
  const hasWords = Object.values(words).some((word) => word !== undefined);
  const judge = compileCriteria(criteria);
  return (call: ObservedCall, context: EvaluationContext): string | undefined => {
    if (hasWords && call.error) return `it failed: ${shortened(call.error.message)}`;
    const found = hasWords ? difference(callMeaning(call), 'result') : undefined;
    return found ?? judge(call, context);
  };
}
