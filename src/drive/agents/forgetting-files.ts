import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentKind } from './agent.ts';

/** The same agent, after whose end no file is left in its home that held a key. */
export function forgettingFiles(kind: AgentKind, ...names: readonly string[]): AgentKind {
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
