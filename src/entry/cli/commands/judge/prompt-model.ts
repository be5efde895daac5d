import type { Project } from '../../../../compose/config/project.ts';
import { type JudgeOptions, ProjectJudging } from '../../../../compose/judge/judging.ts';
import type { JudgeInput } from '../../../../domain/judge-protocol.ts';
import type { JudgeResult } from '../../../../domain/judge-result.ts';
import { protocol } from '../../../../score/judge/modes/protocol.ts';
import { prepareJudge } from '../../../../score/judge/prepare-judge.ts';
import { protocolSubject } from '../../../../score/judge/protocol-prompt.ts';
import type { CliContext } from '../../context.ts';

/** Lets a model answer judge inputs; the computed answer stands, and every disagreement with it is listed. */
export async function promptProtocol(
  inputs: readonly JudgeInput[],
  options: JudgeOptions,
  project: Project,
  context: CliContext,
): Promise<JudgeResult[]> {
  await using judging = new ProjectJudging(project, { ...options, judge: true }, context.env);
  const { signal } = new AbortController();
  return Promise.all(
    inputs.map((input) => {
      const judge = prepareJudge(protocol, { passCriteria: input.passCriteria, failCriteria: input.failCriteria });
      return judging.ask(judge, protocolSubject(input), { models: [], samples: undefined }, signal);
    }),
  );
}
