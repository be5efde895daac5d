import { type ObservedCall, observedCalls } from '../../../../domain/tools/tool-calls.ts';
import { isNamed } from '../../../../domain/tools/tool-names.ts';
import { showJson } from '../../../../shared/exact-json.ts';
import { counted } from '../../../../shared/format.ts';
import { shorten } from '../../../../shared/text.ts';
import type { Answer, EvaluationContext } from '../../evaluator.ts';
import { shortened } from '../../excerpt.ts';
import type { Within } from './tool-use-config.ts';

const maxArgumentsLength = 120;
const maxShown = 3;
const maxNames = 20;

/** The calls that an evaluator is to look at. */
export function callsIn({ trace, turn }: EvaluationContext, within: Within): readonly ObservedCall[] {
  const calls = observedCalls(trace);
  return within === 'answer' ? calls.filter((call) => call.turn === undefined || call.turn === turn?.number) : calls;
}

/** A call for reasons: `call 3, maps/find({"q":"Rome"})`. */
export function callText(call: ObservedCall): string {
  const kept = shorten(showJson(call.input), maxArgumentsLength);
  return shortened(`call ${call.number}, ${toolText(call)}(${kept})`);
}

/** Several calls for reasons, each with why it is shown; no more than a few. */
export function callTexts<Call extends ObservedCall>(calls: readonly Call[], why?: (call: Call) => string): string {
  const listed = calls.slice(0, maxShown).map((call) => (why ? `${callText(call)}: ${why(call)}` : callText(call)));
  const more = calls.length > maxShown ? [`and ${calls.length - maxShown} more`] : [];
  return [...listed, ...more].join('; ');
}

/** The names of what was called, in order. */
export function calledNames(calls: readonly ObservedCall[]): string {
  if (calls.length === 0) return 'no tool was called';
  const names = calls
    .slice(0, maxNames)
    .map((call) => `${shortened(toolText(call))}${call.isRefused ? ' (refused)' : ''}`);
  const more = calls.length > maxNames ? `, and ${counted(calls.length - maxNames, 'more call')}` : '';
  return `called were ${names.join(', ')}${more}`;
}

/** A failure that no later call can mend, unless each answer is looked at by itself. */
export function lastingFailure(reason: string, within: Within, value = 0): Answer<'assertion'> {
  const failure = { state: 'fail', reason, value } as const;
  return within === 'conversation' ? { ...failure, isSettled: true } : failure;
}

function toolText({ server, tool }: ObservedCall): string {
  return server === undefined ? tool : `${server}/${tool}`;
}

/** Why a call that was refused is not a call of its tool. */
export const refusedReason = 'it was refused and never reached the tool';

/** Whether a call is one of the tool that was wanted: an attempt that was refused is not. */
export function isCarriedOut(call: ObservedCall, tool: string): boolean {
  return !call.isRefused && isNamed(call, tool);
}
