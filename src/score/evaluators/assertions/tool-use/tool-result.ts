import * as z from 'zod';
import { isNamed } from '../../../../domain/tools/tool-names.ts';
import type { How } from '../../evaluator.ts';
import { defineEvaluator, type Evaluate, lazily } from '../../evaluator.ts';
import { verdict } from '../text/answer-text.ts';
import { calledNames, callsIn, callTexts, lastingFailure, refusedReason } from './call-text.ts';
import { callCriteria, nameRules, scopeOf, toolName, within } from './tool-use-config.ts';
import { valueMatcherShape } from './value-matcher.ts';

const configSchema = () =>
  z
    .strictObject({
      tool: toolName.describe(`tool whose results are checked; ${nameRules}`),
      of: z
        .enum(['some', 'every', 'last'])
        .default('some')
        .describe('which of its answered calls must have such a result; every: no call at all passes'),
      criteria: callCriteria,
      within,
      ...valueMatcherShape(),
    })
    .refine(
      ({ tool: _tool, of: _of, within: _within, criteria, ...words }) =>
        criteria.length > 0 || Object.values(words).some((word) => word !== undefined),
      'Give criteria, or at least one of equals, matches, contains, gt, gte, lt, lte and schema',
    );

type ToolResultConfig = z.output<ReturnType<typeof configSchema>>;

/** A tool returned the expected result. */
export const toolResult = defineEvaluator({
  type: 'tool-result',
  kind: 'assertion',
  summary: 'the result of a tool equals or contains a value, or matches a schema or criteria',
  example: { tool: 'book_table', contains: 'booked' },
  reads: ({ tool, of, within: where }) => ({
    channels: { 'tool-calls': howOfChoice[of], 'tool-results': howOfChoice[of] },
    tools: [tool],
    scope: scopeOf(where),
  }),
  configSchema,
  when: ({ of }) => (of === 'every' ? 'every-turn' : of === 'last' ? 'final' : 'eventually'),
  prepare: (config) => lazily(() => checkToolResult(config)),
});

const howOfChoice = { some: 'presence', every: 'absence', last: 'exact' } as const satisfies Record<string, How>;

async function checkToolResult(config: ToolResultConfig): Promise<Evaluate<'assertion'>> {
  const { tool, of, within, criteria, ...words } = config;
  const { compileResultTest } = await import('./match-call.ts');
  const test = compileResultTest(criteria, words);
  return (context) => {
    const calls = callsIn(context, within);
    const answered = calls.filter((call) => call.isAnswered && isNamed(call, tool));
    const looked = (of === 'last' ? answered.slice(-1) : answered).map((call) => ({
      ...call,
      difference: call.isRefused ? refusedReason : test(call, context),
    }));
    const right = looked.filter(({ difference }) => difference === undefined);
    const wrong = looked.filter(({ difference }) => difference !== undefined);
    const why = callTexts(wrong, ({ difference }) => difference ?? '');
    if (of === 'every') {
      if (wrong.length === 0) return verdict(true, `${right.length} of ${looked.length} results are as wanted`);
      return lastingFailure(`${wrong.length} of ${looked.length} results are not as wanted: ${why}`, within);
    }
    if (looked.length === 0) return verdict(false, `${tool} returned no result; ${calledNames(calls)}`);
    if (right.length === 0) return verdict(false, `No result of ${tool} is as wanted: ${why}`);
    return verdict(true, `The result is as wanted: ${callTexts(right)}`);
  };
}
