import { findOnPath } from '../../shared/processes/programs-on-path.ts';

/** Programs of the kinds of agents, without loading the kinds: a start that runs no agent does not need them. */
export const agentPrograms: Readonly<Record<string, string>> = {
  'claude-code': 'claude',
  codex: 'codex',
  opencode: 'opencode',
  gemini: 'gemini',
  qwen: 'qwen',
  pi: 'pi',
  copilot: 'copilot',
  kimi: 'kimi',
  cline: 'cline',
  continue: 'cn',
};

/** The agents whose programs are on the path. */
export function installedAgents(path: string | undefined): string[] {
  return Object.entries(agentPrograms).flatMap(([name, program]) =>
    findOnPath([program], path) === undefined ? [] : [name],
  );
}
