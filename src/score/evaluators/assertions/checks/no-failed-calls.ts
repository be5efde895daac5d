import type { ObservedCall } from '../../../../domain/tool-calls.ts';
import { isNamed } from '../../../../domain/tool-names.ts';
import { counted } from '../../../../shared/format.ts';
import type { Evaluate } from '../../evaluator.ts';
import { shortened } from '../../gates/checks/excerpt.ts';
import type { NoFailedCallsConfig } from '../no-failed-calls.ts';
import { verdict } from '../said.ts';
import { callsIn, callTexts, lastingFailure } from './shown-calls.ts';

/** How `no-failed-calls` looks at the calls. */
export function checkNoFailedCalls({ allow, tools, exitCodes, within }: NoFailedCallsConfig): Evaluate<'assertion'> {
  return (context) => {
    const calls = callsIn(context, within)
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

/** An agent need not tell how its calls ended; whoever stood at the tool would have seen it. */
function failureOf({ error, exitCode, isAnswered, seenBy }: ObservedCall, exitCodes: boolean): string | undefined {
  if (error) return error.message;
  if (exitCodes && exitCode !== undefined && exitCode !== 0) return `exit code ${exitCode}`;
  return isAnswered || seenBy === 'agent' ? undefined : 'it was never answered';
}
