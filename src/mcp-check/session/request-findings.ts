import { refusalText } from '../../drive/mcp/schemas/refusal.ts';
import type { McpAnswer } from '../../drive/mcp/session.ts';
import { otherContentType } from '../../drive/mcp/wire/checked-fetch.ts';
import { type CheckProblem, problemOf, type RequestFinding, type RuleText } from '../definitions/rule.ts';
import { shownMessage } from './answer-text.ts';
import { behaviours } from './behaviours.ts';
import { missingNeed } from './failure-cause.ts';
import { protocolRules } from './protocol-rules.ts';
import type { RequestEnd } from './server-under-check.ts';

type Judge = (answer: McpAnswer) => readonly RequestFinding[];
type Result = Readonly<Record<string, unknown>>;

const noAnswer = 'no answer in time.';

/** The broken rules in one request: that of its failure, that of its silence, or those that its answer breaks. */
export function findingsOf(
  what: string,
  end: RequestEnd,
  unanswered: RuleText,
  judge: Judge,
): readonly RequestFinding[] {
  if (end.kind === 'unauthorized') return [];
  if (end.kind === 'failed')
    return [{ rule: ruleOfFailure(end.message), message: `${what}: ${shownMessage(end.message)}` }];
  if (end.kind === 'timeout') return [{ rule: unanswered, message: `${what}: ${noAnswer}`, cause: noAnswer }];
  return judge(end.answer);
}

function ruleOfFailure(message: string): RuleText {
  return message.includes(otherContentType) ? protocolRules.contentTypeWrong : behaviours.serverFailed;
}

/** The problems of a request that should have been answered with a result; `defectOf` looks at the result. */
export function requestProblems(
  what: string,
  end: RequestEnd,
  { refused, malformed }: { readonly refused: RuleText; readonly malformed: RuleText },
  defectOf: (result: Result) => string | undefined,
): CheckProblem[] {
  const judge: Judge = (answer) => {
    if (answer.kind === 'error') {
      const rule = missingNeed(answer.message) === undefined ? refused : behaviours.serverNeedMissing;
      return [{ rule, message: `${what}: ${answer.code} ${shownMessage(answer.message)}` }];
    }
    const defect = defectOf(answer.result) ?? (answer.refusal && `${refusalText(answer.refusal)}.`);
    return defect === undefined ? [] : [{ rule: malformed, message: `${what}: ${defect}` }];
  };
  return problemsOf(findingsOf(what, end, refused, judge));
}

/** The problems of a request that should have been refused. */
export function acceptedProblems(what: string, end: RequestEnd, accepted: RuleText): CheckProblem[] {
  const judge: Judge = ({ kind }) =>
    kind === 'error' ? [] : [{ rule: accepted, message: `${what}: answered with a result.` }];
  return problemsOf(findingsOf(what, end, accepted, judge));
}

export function problemsOf(findings: readonly RequestFinding[]): CheckProblem[] {
  return findings.map(({ rule, message }) => problemOf(rule, { message }));
}
