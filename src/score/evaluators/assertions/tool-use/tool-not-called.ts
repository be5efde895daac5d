import * as z from 'zod';
import { isNamed } from '../../../../domain/tools/tool-names.ts';
import { defineEvaluator, type Evaluate, lazily } from '../../evaluator.ts';
import { verdict } from '../text/answer-text.ts';
import { callsIn, callTexts, lastingFailure } from './call-text.ts';
import { callCriteria, nameRules, readsOfCalls, scopeOf, toolName, within } from './tool-use-config.ts';
import { argumentMatchersSchema } from './value-matcher.ts';

const configSchema = () =>
  z.strictObject({
    tool: toolName.describe(`the tool that must not be called; ${nameRules}`),
    args: argumentMatchersSchema().optional(),
    criteria: callCriteria,
    within,
  });

type ToolNotCalledConfig = z.output<ReturnType<typeof configSchema>>;

/** A tool was not called, or not with certain arguments. */
export const toolNotCalled = defineEvaluator({
  type: 'tool-not-called',
  kind: 'assertion',
  summary: 'a tool was not called; with args or criteria, not with matching arguments',
  example: { tool: 'delete_booking' },
  reads: ({ tool, criteria, within: where }) => ({
    ...readsOfCalls('absence', criteria),
    tools: [tool],
    scope: scopeOf(where),
  }),
  configSchema,
  when: () => 'every-turn',
  prepare: (config) => lazily(() => checkToolNotCalled(config)),
});

async function checkToolNotCalled(config: ToolNotCalledConfig): Promise<Evaluate<'assertion'>> {
  const { tool, within } = config;
  const { compileCallTest } = await import('./match-call.ts');
  const test = compileCallTest(config);
  const isInThatWay = config.args || config.criteria.length > 0 ? ' in that way' : '';
  return (context) => {
    const unwanted = callsIn(context, within).filter(
      (call) => isNamed(call, tool) && test(call, context) === undefined,
    );
    if (unwanted.length > 0) return lastingFailure(`${tool} was called${isInThatWay}: ${callTexts(unwanted)}`, within);
    return verdict(true, `${tool} was not called${isInThatWay}`);
  };
}
