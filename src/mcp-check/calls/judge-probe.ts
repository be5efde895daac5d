import type { McpAnswer } from '../../drive/mcp/session.ts';
import type { Defect, Probe } from '../arguments/invalid-arguments.ts';
import type { RuleText } from '../rule.ts';
import { isRefusal, refusalText, shownArguments, shownMessage } from './answer-text.ts';
import { behaviours } from './behaviours.ts';
import type { RequestEnd } from './server-under-check.ts';
import { showsInternals } from './stack-trace.ts';
import type { Noted } from './tool-outcomes.ts';

const internalError = -32_603;

const words: Readonly<Record<Defect, (argument: string) => string>> = {
  missing: (argument) => `Without the required ${argument}`,
  'wrong-type': (argument) => `With a wrong type for ${argument}`,
  'not-in-enum': (argument) => `With a value for ${argument} that its \`enum\` does not have`,
  'out-of-range': (argument) => `With a value for ${argument} that is out of range`,
  extra: (argument) => `With ${argument}, which the schema does not allow`,
  empty: () => 'Without any arguments',
  'huge-text': (argument) => `With a text of 100,000 characters for ${argument}`,
};

/** How the valid calls of the tool were answered. */
interface ValidCalls {
  readonly wasGood: boolean;
  readonly refusals: ReadonlySet<string>;
}

/** What is wrong with how a call was answered that should have been refused, or at least survived. */
export function judgeProbe(probe: Probe, end: RequestEnd, valid: ValidCalls): Noted[] {
  const what = `${words[probe.defect](`\`${probe.argument}\``)}, ${shownArguments(probe.args)}`;
  if (end.kind === 'failed')
    return [{ rule: behaviours.serverFailed, message: `${what}: ${shownMessage(end.message)}` }];
  if (end.kind === 'timeout') {
    const rule = probe.isInvalid ? behaviours.invalidCallUnanswered : behaviours.callTimedOut;
    return [{ rule, message: `${what}: no answer in time.` }];
  }
  if (isRefusal(end.answer)) return judgeRefusal(probe, end.answer, what, valid);
  if (!probe.isInvalid) return [];
  const rule = probe.defect === 'extra' ? behaviours.extraArgumentAccepted : behaviours.invalidArgumentsAccepted;
  return [{ rule, message: `${what}: accepted.` }];
}

function judgeRefusal(probe: Probe, answer: McpAnswer, what: string, valid: ValidCalls): Noted[] {
  const text = refusalText(answer);
  const message = `${what}: ${shownMessage(text)}`;
  const rules = [
    showsInternals(text) ? behaviours.errorShowsInternals : undefined,
    probe.isInvalid ? unclearRefusal(probe, answer, text, valid) : undefined,
  ];
  return rules.flatMap((rule) => (rule === undefined ? [] : [{ rule, message }]));
}

function unclearRefusal(
  { argument }: Probe,
  answer: McpAnswer,
  text: string,
  { wasGood, refusals }: ValidCalls,
): RuleText | undefined {
  // What valid calls are refused with as well is not about the arguments.
  if (refusals.has(text)) return undefined;
  if (answer.kind === 'error' && answer.code === internalError) return behaviours.invalidArgumentsInternalError;
  // Where valid arguments are refused as well, the refusal may be about something else.
  if (!wasGood || argument === undefined) return undefined;
  return text.toLowerCase().includes(argument.toLowerCase()) ? undefined : behaviours.errorNamesNoArgument;
}
