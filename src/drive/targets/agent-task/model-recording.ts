import { AssayError } from '../../../domain/errors.ts';
import type { EmitTrace } from '../../../domain/trace.ts';
import { agentRoutes } from '../../gateway/agent-routes.ts';
import type { SessionTape } from '../../gateway/tape/session-tape.ts';
import type { TrialTape } from '../../gateway/tape/trial-tape.ts';
import type { Isolation } from '../../workspace/isolation.ts';
import { type AgentRun, foldersOf } from './agent-run.ts';
import type { CostOf } from './agent-work.ts';

/** Whether the calls of an agent are replayed and cannot go through the gateway; its command may also use no model. */
export function mustNotReachModel({ agent, work, context }: AgentRun): boolean {
  if (work.recordings?.mode !== 'strict' || agent.kind.isScripted) return false;
  return agentRoutes(agent.kind, agent.settings, context.env).length === 0;
}

/** Names what keeps an agent from being replayed without the risk that it reaches its provider. */
export function cannotReplay({ agent, trial }: AgentRun, isolation: Isolation): AssayError {
  const name = trial.variant.agent ?? agent.kind.name;
  return new AssayError(
    'REPLAY_MISS',
    `The model calls of "${name}" do not go through the gateway, and isolation "${isolation.tier}" cannot keep it from its provider, so it was not started.`,
    { hint: 'Set `baseUrl` of the agent, or use `isolation: bubblewrap` or `container`, or run it without --replay.' },
  );
}

/** Says what is not recorded of an agent without the gateway; refuses to replay one that cannot do without its model. */
export function noteUnrecorded({ agent, work, trial }: AgentRun, emit: EmitTrace): void {
  if (!work.recordings || agent.kind.isScripted) return;
  const reason = `The model calls of "${trial.variant.agent ?? agent.kind.name}" do not go through the gateway`;
  if (work.recordings.mode !== 'strict') {
    emit({ type: 'notice', message: `${reason}: they are neither recorded nor replayed.` });
    return;
  }
  // A command of the user need not use a model at all.
  if (agent.kind.modelApi?.api === null) {
    emit({ type: 'notice', message: `${reason}: they are not replayed, and it has no network to reach a provider.` });
    return;
  }
  throw new AssayError('REPLAY_MISS', `${reason}, so they cannot be replayed.`, {
    hint: 'Set `baseUrl` of the agent and leave `gateway` on, or run it without --replay.',
  });
}

/** Loaded only where something is recorded or replayed. */
export async function openTape(run: AgentRun, emit: EmitTrace): Promise<SessionTape | undefined> {
  const { agent, model, work, trial, stop } = run;
  if (!work.recordings) return undefined;
  const { openSessionTape } = await import('../../gateway/tape/session-tape.ts');
  return openSessionTape({
    ...work.recordings,
    trial: {
      ...trial.variant,
      scenario: trial.scenario.name,
      case: trial.case.caseId,
      agent: trial.variant.agent ?? agent.kind.name,
      model: model ?? null,
      guidance: trial.variant.guidance ?? null,
      repeat: trial.repeat,
    },
    agentVersion: agent.version,
    folders: foldersOf(run),
    redact: work.redact,
    notice: (message) => emit({ type: 'notice', seenBy: 'gateway', message }),
    isInterrupted: () => stop.isStopped,
  });
}

/** Keeps the calls of an agent for a process that has to go on with its trial; loaded only where such are kept. */
export async function keepCalls(run: AgentRun, emit: EmitTrace, costOf: CostOf): Promise<TrialTape | undefined> {
  const { agent, work, tapeFile } = run;
  // Neither pays a model.
  if (tapeFile === undefined || agent.kind.isScripted || work.recordings?.mode === 'strict') return undefined;
  const { openTrialTape } = await import('./open-trial-tape.ts');
  return openTrialTape({ ...run, tapeFile }, emit, costOf);
}
