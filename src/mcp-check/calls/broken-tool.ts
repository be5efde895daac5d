import { type CheckProblem, problemOf } from '../definitions/rule.ts';
import { shownMessage } from '../session/answer-text.ts';
import { behaviours } from '../session/behaviours.ts';
import { isException, missingNeed } from '../session/failure-cause.ts';

/** A problem of a tool, with the reason that the server gave for it. */
export interface ToolProblem extends CheckProblem {
  readonly cause: string | undefined;
}

interface Outcome {
  readonly calls: number;
  readonly refused: number;
  readonly refusals: ReadonlySet<string>;
}

/** Failed calls of a broken tool are one problem. */
const symptoms: ReadonlySet<string> = new Set(
  [behaviours.callFailed, behaviours.callProtocolError, behaviours.validArgumentsRefused].map(({ id }) => id),
);

/** The problems of a tool; one whose every call ended with an exception of its program does not work. */
export function withBrokenTool(
  tool: string,
  { calls, refused, refusals }: Outcome,
  problems: readonly ToolProblem[],
): readonly ToolProblem[] {
  const isBroken =
    calls > 0 && calls === refused && [...refusals].every((text) => isException(text) && !missingNeed(text));
  if (!isBroken) return problems;
  const cause = shownMessage([...refusals][0] ?? '');
  const broken = { ...problemOf(behaviours.toolBroken, { message: cause, tools: [tool] }), cause };
  return [broken, ...problems.filter(({ id }) => !symptoms.has(id))];
}
