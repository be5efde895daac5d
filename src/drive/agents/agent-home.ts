import { appendFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { AgentKind, AgentSession } from './agent.ts';

/** Writes a settings file into an agent's home, readable by its owner only; returns its absolute path. */
export async function writeHomeFile(home: string, name: string, text: string): Promise<string> {
  const file = join(home, name);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text, { mode: 0o600 });
  return file;
}

/** Files that login shells read last: the first for sh, bash and ksh, the second for zsh. */
const profileFiles = ['.profile', '.zprofile'];

/** Has the agent's login shells keep its PATH, which the machine's own profile takes from them. */
export async function keepPathInLoginShells({ home, env }: Pick<AgentSession, 'home' | 'env'>): Promise<void> {
  if (env.PATH === undefined) return;
  const line = `export PATH='${env.PATH.replaceAll("'", `'\\''`)}'\n`;
  for (const name of profileFiles) await appendFile(join(home, name), line, { mode: 0o600 });
}

/** The same agent, after whose end no file is left in its home that held a key. */
export function removingFiles(kind: AgentKind, ...names: readonly string[]): AgentKind {
  return {
    ...kind,
    drive: async (session) => {
      try {
        return await kind.drive(session);
      } finally {
        await Promise.all(names.map((name) => rm(join(session.home, name), { force: true })));
      }
    },
  };
}
