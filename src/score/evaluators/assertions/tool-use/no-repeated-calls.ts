import * as z from 'zod';
import type { ObservedCall } from '../../../../domain/tools/tool-calls.ts';
import { isNamed } from '../../../../domain/tools/tool-names.ts';
import { counted } from '../../../../shared/format.ts';
import { canonicalJson } from '../../../../shared/json.ts';
import { defineEvaluator, type Evaluate } from '../../evaluator.ts';
import { verdict } from '../text/answer-text.ts';
import { callsIn, callTexts, lastingFailure } from './call-text.ts';
import { allow, onlyTools, scopeOf, within } from './tool-use-config.ts';

const configSchema = () =>
  z.strictObject({
    allow,
    tools: onlyTools,
    consecutive: z
      .boolean()
      .default(false)
      .describe('only a call that directly follows the one that it repeats counts'),
    within,
  });

type NoRepeatedCallsConfig = z.output<ReturnType<typeof configSchema>>;

/** No tool was called again with the same arguments. */
export const noRepeatedCalls = defineEvaluator({
  type: 'no-repeated-calls',
  kind: 'assertion',
  summary: 'no tool was called twice with the same arguments, in any order of their names',
  example: { allow: 1 },
  reads: ({ tools, within: where }) => ({
    channels: { 'tool-calls': 'absence' },
    tools: tools ?? [],
    scope: scopeOf(where),
  }),
  configSchema,
  when: () => 'every-turn',
  prepare: checkNoRepeatedCalls,
});

function checkNoRepeatedCalls(config: NoRepeatedCallsConfig): Evaluate<'assertion'> {
  const { allow, tools, consecutive, within } = config;
  return (context) => {
    const calls = callsIn(context, within);
    const repeats = repeatsIn(calls, consecutive).filter((call) => !tools || tools.some((name) => isNamed(call, name)));
    if (repeats.length === 0) return verdict(true, `${counted(calls.length, 'call')}, none repeated`);
    const why = callTexts(repeats, ({ firstNumber }) => `the same as call ${firstNumber}`);
    const reason = `${counted(repeats.length, 'repeated call')}: ${why}`;
    if (repeats.length <= allow) return verdict(true, reason);
    return lastingFailure(reason, within, 1 - repeats.length / calls.length);
  };
}

function repeatsIn(calls: readonly ObservedCall[], consecutive: boolean) {
  const firstNumbers = new Map<string, number>();
  return calls.flatMap((call) => {
    const key = `${call.server ?? ''} ${call.tool} ${canonicalJson(call.input)}`;
    const firstNumber = firstNumbers.get(key);
    if (consecutive) firstNumbers.clear();
    firstNumbers.set(key, firstNumber ?? call.number);
    return firstNumber === undefined ? [] : [{ ...call, firstNumber }];
  });
}
