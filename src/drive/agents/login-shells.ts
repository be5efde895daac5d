import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentSession } from './agent.ts';

/** What login shells read last: the first is for sh, bash and ksh, the second for zsh. */
const profileFiles = ['.profile', '.zprofile'];

/** Has the agent's login shells keep its PATH, which the machine's own profile takes from them. */
export async function keepPathInLoginShells({ home, env }: Pick<AgentSession, 'home' | 'env'>): Promise<void> {
  if (env.PATH === undefined) return;
  const line = `export PATH='${env.PATH.replaceAll("'", `'\\''`)}'\n`;
  for (const name of profileFiles) await appendFile(join(home, name), line, { mode: 0o600 });
}
