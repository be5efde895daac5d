import { type Continuation, continuationKind, continuationText } from '../../../domain/continuation.ts';
import { controlOfTrial } from '../../../domain/control-of-trial.ts';
import type { EmitTrace } from '../../../domain/trace.ts';
import { counted } from '../../../shared/format.ts';
import { sha256 } from '../../../shared/ids.ts';
import { canonicalJson } from '../../../shared/json.ts';
import { redactDeep } from '../../../shared/redaction/redaction.ts';
import { agentRoutes } from '../../gateway/agent-routes.ts';
import { costOfCalls } from '../../gateway/tape/paid-calls.ts';
import { TrialTape } from '../../gateway/tape/trial-tape.ts';
import { type AgentRun, foldersOf, pinnedModelOf } from './agent-run.ts';
import type { CostOf } from './agent-work.ts';

/** Opens the tape of a trial, and says what becomes of an attempt before; undefined where its calls are not kept. */
export function openTrialTape(
  run: AgentRun & { readonly tapeFile: string },
  emit: EmitTrace,
  costOf: CostOf,
): TrialTape | undefined {
  const { agent, model, work, tapeFile, stop } = run;
  const routes = agentRoutes(agent.kind, agent.settings, run.context.env);
  const cannot = whyNot(run, routes.length > 0);
  const { apiKey: _, ...settings } = agent.settings;
  const addresses = routes.map(({ target }) => target.baseUrl.href);
  const subject = [agent.kind.name, agent.version, model ?? null, settings, addresses];
  const tape = new TrialTape({
    file: tapeFile,
    setup: sha256(canonicalJson(redactDeep(subject, work.redact))),
    cannot,
    agentVersion: agent.version,
    folders: foldersOf(run),
    redact: work.redact,
    notice: (message) => emit({ type: 'notice', seenBy: 'gateway', message }),
    onLeft: (repeated) => work.budget?.add(-(costOfCalls(repeated, costOf, pinnedModelOf(run)) ?? 0)),
    isInterrupted: () => stop.isStopped,
  });
  const continuation = continuationOf(tape, run, costOf);
  if (continuation) {
    if (continuation.costUsd) work.budget?.add(continuation.costUsd);
    announce(continuation, emit);
  }
  if (cannot === undefined) return tape;
  tape.finish();
  return undefined;
}

/** Why a process that has to go on with the trial could not repeat its calls. */
function whyNot({ agent, work, trial, config }: AgentRun, isBehindGateway: boolean): string | undefined {
  const name = trial.variant.agent ?? agent.kind.name;
  if (!isBehindGateway) return `the model calls of "${name}" do not go through the gateway`;
  if (config.steps) return 'its task has steps, which are verified before it ends';
  if (work.recordings) return 'its model calls are recorded or replayed';
  const breaksCalls = (controlOfTrial(trial)?.faults ?? []).some(({ border }) => border === 'model');
  return breaksCalls ? 'faults of the scenario break its model calls' : undefined;
}

function continuationOf({ earlier }: TrialTape, run: AgentRun, costOf: CostOf): Continuation | undefined {
  if (!earlier) return undefined;
  const { answered, underWay, cannot } = earlier;
  if (cannot === undefined && answered.length === 0 && underWay.length === 0) return undefined;
  const restarted = cannot ?? (answered.length === 0 ? 'none of its model calls had been answered' : undefined);
  return {
    calls: answered.length,
    ...(underWay.length > 0 && { underWay: underWay.length }),
    ...(restarted !== undefined && { restarted, costUsd: costOfCalls(answered, costOf, pinnedModelOf(run)) }),
  };
}

function announce(continuation: Continuation, emit: EmitTrace): void {
  const { calls, restarted } = continuation;
  emit({ type: 'other', seenBy: 'gateway', kind: continuationKind, data: continuation });
  emit({ type: 'notice', seenBy: 'gateway', message: continuationText(continuation) });
  if (restarted !== undefined) return;
  const reason = `the trial went on from a tape of ${counted(calls, 'model call')}, which took no time in it`;
  emit({ type: 'gap', seenBy: 'gateway', channels: ['times'], reason });
}
