import * as z from 'zod';
import { isNamed } from '../../../../domain/tools/tool-names.ts';
import { counted } from '../../../../shared/format.ts';
import { defineEvaluator, type Evaluate, lazily } from '../../evaluator.ts';
import { checkedJsonSchema } from '../json/json-schema.ts';
import { verdict } from '../text/answer-text.ts';
import { callsIn, callTexts, lastingFailure } from './call-text.ts';
import { callCriteria, nameRules, readsOfCalls, scopeOf, toolName, within } from './tool-use-config.ts';
import { argumentMatchersSchema } from './value-matcher.ts';

const configSchema = () =>
  z
    .strictObject({
      tool: toolName.default('*').describe(`tool whose calls are checked; ${nameRules}`),
      schema: checkedJsonSchema().optional().describe('JSON Schema that the arguments of every call are valid against'),
      args: argumentMatchersSchema().optional(),
      criteria: callCriteria,
      within,
    })
    .refine(
      ({ schema, args, criteria }) => schema !== undefined || args !== undefined || criteria.length > 0,
      'Give at least one of schema, args and criteria',
    );

type ToolArgumentsConfig = z.output<ReturnType<typeof configSchema>>;

/** Every call of a tool has arguments as they should be. */
export const toolArguments = defineEvaluator({
  type: 'tool-arguments',
  kind: 'assertion',
  summary: 'the arguments of every call match a schema, matchers or criteria; passes without any call',
  example: { tool: 'book_table', args: { guests: { gte: 1, lte: 12 } } },
  reads: ({ tool, criteria, within: where }) => ({
    ...readsOfCalls('absence', criteria),
    tools: [tool],
    scope: scopeOf(where),
  }),
  configSchema,
  when: () => 'every-turn',
  prepare: (config) => lazily(() => checkToolArguments(config)),
});

async function checkToolArguments(config: ToolArgumentsConfig): Promise<Evaluate<'assertion'>> {
  const { tool, within } = config;
  const { compileCallTest } = await import('./match-call.ts');
  const test = compileCallTest(config);
  return (context) => {
    const calls = callsIn(context, within)
      .filter((call) => isNamed(call, tool))
      .map((call) => ({ ...call, difference: test(call, context) }));
    const wrong = calls.filter(({ difference }) => difference !== undefined);
    const total = counted(calls.length, 'call');
    if (wrong.length === 0)
      return verdict(true, calls.length === 0 ? 'The tool was not called' : `The arguments of ${total} are as wanted`);
    const why = callTexts(wrong, ({ difference }) => difference ?? '');
    const reason = `The arguments of ${wrong.length} of ${total} are not as wanted: ${why}`;
    return lastingFailure(reason, within, 1 - wrong.length / calls.length);
  };
}
