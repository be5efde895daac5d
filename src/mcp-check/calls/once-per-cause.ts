import { counted } from '../../shared/format.ts';
import type { CheckProblem } from '../definitions/rule.ts';
import { quoted } from '../definitions/words.ts';
import { behaviours } from '../session/behaviours.ts';
import { missingNeed } from '../session/failure-cause.ts';
import type { ToolProblem } from './exercise-tool.ts';

const mostCauses = 3;

/** Problems of several tools that have one cause are one problem: a server that is offline is offline once. */
export function oncePerCause(problems: readonly ToolProblem[]): CheckProblem[] {
  const groups = new Map<string, ToolProblem[]>();
  for (const [index, problem] of problems.entries()) {
    const key = `${problem.id}\n${causeKey(problem) ?? `${index}`}`;
    groups.set(key, [...(groups.get(key) ?? []), problem]);
  }
  return [...groups.values()].flatMap((group) => merged(group));
}

/** All trouble with the network is one cause, however each tool words it. */
function causeKey({ id, cause }: ToolProblem): string | undefined {
  if (cause === undefined) return undefined;
  return id === behaviours.needMissing.id ? missingNeed(cause) : cause;
}

function merged(group: readonly ToolProblem[]): CheckProblem[] {
  const [first, ...others] = group;
  if (first === undefined) return [];
  const { cause, ...problem } = first;
  if (others.length === 0) return [problem];
  const causes = [...new Set(group.map((one) => one.cause ?? ''))].slice(0, mostCauses);
  const tools = [...new Set(group.flatMap((one) => one.tools))];
  return [{ ...problem, tools, message: `${counted(tools.length, 'tool')}, ${quoted(tools)}: ${causes.join(' / ')}` }];
}
