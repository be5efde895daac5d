import { AssayError } from '../../../domain/errors.ts';
import type { EmitTrace } from '../../../domain/trace.ts';
import type { SessionTape } from '../../gateway/tape/session-tape.ts';
import type { AgentRun } from './agent-run.ts';

/** Refuses to replay an agent whose requests would reach its provider. */
export function assertNotReplayed({ agent, work }: AgentRun, emit: EmitTrace): undefined {
  if (!work.recordings || agent.kind.isScripted) return;
  const reason = `The model calls of ${agent.kind.name} do not go through the gateway`;
  // A command of the user need not use a model at all.
  if (work.recordings.mode !== 'strict' || agent.kind.modelApi?.api === null) {
    emit({ type: 'notice', message: `${reason}: they are neither recorded nor replayed.` });
    return;
  }
  throw new AssayError('REPLAY_MISS', `${reason}, so they cannot be replayed.`, {
    hint: 'Set `baseUrl` of the agent and leave `gateway` on, or run it without --replay.',
  });
}

/** Loaded only where something is recorded or replayed. */
export async function openTape(run: AgentRun, emit: EmitTrace): Promise<SessionTape | undefined> {
  const { agent, model, work, trial, folder, workspace, stop } = run;
  if (!work.recordings) return undefined;
  const { openSessionTape } = await import('../../gateway/tape/session-tape.ts');
  return openSessionTape({
    ...work.recordings,
    trial: {
      scenario: trial.scenario.name,
      case: trial.case.caseId,
      agent: trial.variant.agent ?? agent.kind.name,
      model: model ?? null,
      guidance: trial.variant.guidance ?? null,
      repeat: trial.repeat,
    },
    agentVersion: agent.version,
    folders: {
      work: workspace.directory,
      home: workspace.home,
      tmp: workspace.tmp,
      trial: folder.path,
      project: work.projectFolder,
      scenario: trial.scenario.directory,
    },
    redact: work.redact,
    notice: (message) => emit({ type: 'notice', seenBy: 'gateway', message }),
    isInterrupted: () => stop.isStopped,
  });
}
