import type { AgentExit, AgentReport } from './agent.ts';
import { concludeAgent, type OwnError } from './conclude.ts';
import type { Narration } from './narration.ts';

interface NarrationEnd {
  readonly exit: AgentExit;
  readonly ownError: OwnError | undefined;
  readonly stderrTail: string;
}

/** Weighs the end of an agent whose stream has no closing line: one that ended well without a word did not work. */
export function concludeNarration(narration: Narration, { exit, ownError, stderrTail }: NarrationEnd): AgentReport {
  const { sawWork, turnsBegun } = narration;
  const silence =
    exit.exitCode === 0 && !sawWork && turnsBegun === 0 ? { message: 'it ended without a word' } : undefined;
  const turns = turnsBegun === 0 ? undefined : turnsBegun;
  return concludeAgent({ exit, ownError: ownError ?? silence, sawWork, stderrTail, turns });
}
