import * as z from 'zod';
import { isNamed } from '../../../../domain/tools/tool-names.ts';
import { counted } from '../../../../shared/format.ts';
import { lazySchema } from '../../../../shared/lazy-schema.ts';
import { defineEvaluator, type Evaluate, lazily } from '../../evaluator.ts';
import { verdict } from '../text/answer-text.ts';
import { calledNames, callsIn, callTexts, lastingFailure, refusedReason } from './call-text.ts';
import { callCriteria, nameRules, readsOfCalls, scopeOf, toolName, within } from './tool-use-config.ts';
import { argumentMatchersSchema } from './value-matcher.ts';

const count = lazySchema(() => z.int().min(0));

const times = lazySchema(() =>
  z
    .union([
      count.min(1),
      z
        .strictObject({
          min: count.default(1).describe('at least this often'),
          max: count.optional().describe('at most this often'),
        })
        .refine(({ min, max = min }) => min <= max, { path: ['max'], message: 'max is less than min' }),
    ])
    .default({ min: 1 })
    .describe('how often: exactly so many times, or { min (1), max }'),
);

const configSchema = () =>
  z.strictObject({
    tool: toolName.describe(`the tool that must be called; ${nameRules}`),
    args: argumentMatchersSchema().optional(),
    noOtherArgs: z.boolean().default(false).describe('the call has no arguments beside those of args'),
    criteria: callCriteria,
    times,
    within,
  });

type ToolCalledConfig = z.output<ReturnType<typeof configSchema>>;

/** A tool was called, with the arguments and as often as it should be. */
export const toolCalled = defineEvaluator({
  type: 'tool-called',
  kind: 'assertion',
  summary: 'a tool was called, with the expected arguments and as often as expected',
  example: { tool: 'book_table', args: { guests: 2 }, times: 1 },
  reads: ({ tool, criteria, times: wanted, within: where }) => ({
    ...readsOfCalls(typeof wanted === 'number' || wanted.max !== undefined ? 'exact' : 'presence', criteria),
    tools: [tool],
    scope: scopeOf(where),
  }),
  configSchema,
  // An upper limit can be decided only at the end.
  when: ({ times: wanted }) => (typeof wanted === 'number' || wanted.max !== undefined ? 'final' : 'eventually'),
  prepare: (config) => lazily(() => checkToolCalled(config)),
});

async function checkToolCalled(config: ToolCalledConfig): Promise<Evaluate<'assertion'>> {
  const { tool, times, within } = config;
  const { compileCallTest } = await import('./match-call.ts');
  const test = compileCallTest(config);
  const { min, max = Number.POSITIVE_INFINITY } = typeof times === 'number' ? { min: times, max: times } : times;
  const isAsWanted = config.args || config.noOtherArgs || config.criteria.length > 0 ? ' as wanted' : '';
  return (context) => {
    const calls = callsIn(context, within);
    const named = calls
      .filter((call) => isNamed(call, tool))
      .map((call) => ({ ...call, difference: test(call, context) }));
    // An attempt that was refused is too much where no more calls are allowed, and not enough where one is wanted.
    const tried = named.filter(({ difference }) => difference === undefined);
    const fitting = tried.filter(({ isRefused }) => !isRefused);
    const others = named.filter(({ difference, isRefused }) => difference !== undefined || isRefused);
    if (tried.length > max) {
      const attempts = `${tool} was called ${counted(tried.length, 'time')}${isAsWanted}`;
      const reason = `${attempts}, wanted at most ${max}: ${callTexts(tried)}`;
      return { ...lastingFailure(reason, within), restsOn: 'seen' };
    }
    const found = `${tool} was called ${counted(fitting.length, 'time')}${isAsWanted}`;
    if (fitting.length >= min) {
      return verdict(true, fitting.length === 0 ? found : `${found}: ${callTexts(fitting)}`);
    }
    if (named.length === 0) return verdict(false, `${tool} was not called; ${calledNames(calls)}`);
    const why = callTexts(others, ({ difference }) => difference ?? refusedReason);
    return verdict(false, `${found}, wanted at least ${min}${why === '' ? '' : `; ${why}`}`);
  };
}
