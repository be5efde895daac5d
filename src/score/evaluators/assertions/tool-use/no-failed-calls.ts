import * as z from 'zod';
import { isBrokenOnPurpose, type ObservedCall } from '../../../../domain/tools/tool-calls.ts';
import { isNamed } from '../../../../domain/tools/tool-names.ts';
import { counted } from '../../../../shared/format.ts';
import { defineEvaluator, type Evaluate } from '../../evaluator.ts';
import { shortened } from '../../excerpt.ts';
import { verdict } from '../text/answer-text.ts';
import { callsIn, callTexts, lastingFailure } from './call-text.ts';
import { allow, onlyTools, scopeOf, within } from './tool-use-config.ts';

const configSchema = () =>
  z.strictObject({
    allow,
    tools: onlyTools,
    exitCodes: z.boolean().default(false).describe('a shell command with an exit code other than 0 has failed too'),
    within,
  });

type NoFailedCallsConfig = z.output<ReturnType<typeof configSchema>>;

/** No tool answered with an error. */
export const noFailedCalls = defineEvaluator({
  type: 'no-failed-calls',
  kind: 'assertion',
  summary: 'no tool call ended with an error or, where the trace shows it, without a result',
  example: { allow: 1 },
  reads: ({ tools, within: where }) => ({
    channels: { 'tool-calls': 'absence', 'tool-results': 'absence' },
    tools: tools ?? [],
    scope: scopeOf(where),
  }),
  configSchema,
  when: () => 'every-turn',
  prepare: checkNoFailedCalls,
});

function checkNoFailedCalls({ allow, tools, exitCodes, within }: NoFailedCallsConfig): Evaluate<'assertion'> {
  return (context) => {
    const calls = callsIn(context, within)
      // A call that Assay broke on purpose says nothing about the agent or the tool.
      .filter((call) => !isBrokenOnPurpose(call))
      .filter((call) => !tools || tools.some((name) => isNamed(call, name)))
      .map((call) => ({ ...call, failure: failureOf(call, exitCodes) }));
    const failed = calls.filter(({ failure }) => failure !== undefined);
    if (failed.length === 0) return verdict(true, `${counted(calls.length, 'call')}, none failed`);
    const why = callTexts(failed, ({ failure }) => shortened(failure ?? ''));
    const reason = `${failed.length} of ${counted(calls.length, 'call')} failed: ${why}`;
    if (failed.length <= allow) return verdict(true, reason);
    return lastingFailure(reason, within, 1 - failed.length / calls.length);
  };
}

/** Agents may leave out how a call ended; an observer at the tool would have recorded it. */
function failureOf({ error, exitCode, isAnswered, seenBy }: ObservedCall, exitCodes: boolean): string | undefined {
  if (error) return error.message;
  if (exitCodes && exitCode !== undefined && exitCode !== 0) return `exit code ${exitCode}`;
  return isAnswered || seenBy === 'agent' ? undefined : 'it was never answered';
}
