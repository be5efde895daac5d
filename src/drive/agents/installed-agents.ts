import { accessSync, constants } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

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
  const folders = (path ?? '').split(delimiter).filter(isAbsolute);
  const isThere = (program: string): boolean => folders.some((folder) => isExecutable(join(folder, program)));
  return Object.entries(agentPrograms).flatMap(([name, program]) => (isThere(program) ? [name] : []));
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
