import type { Fault } from '../domain/outcome.ts';
import { eventsOf, hasEvent, type Trace } from '../domain/trace.ts';
import type { Trial } from '../domain/trial.ts';
import { StampedTrace } from '../drive/targets/stamped-trace.ts';
import type { Attempt, PreparedWork, TurnControl } from '../drive/targets/target.ts';
import { trialAttack } from '../drive/tool-control/attack/arm-attack.ts';
import type { EvaluatorRunner } from './evaluate.ts';
import type { Execution } from './execution.ts';
import type { LastActions } from './last-actions.ts';
import type { AttemptLimits } from './limits.ts';
import type { RunFeature } from './run-feature.ts';
import type { TargetPool } from './target-pool.ts';

/** Tries the target once within the scenario's time limit. Every fault ends in the execution, none is thrown. */
export async function execute(
  trial: Trial,
  targets: TargetPool,
  limits: AttemptLimits,
  evaluatorRunner: EvaluatorRunner,
  actions: Pick<LastActions, 'begin'>,
  prepared: RunFeature['prepared'],
): Promise<Execution | 'interrupted'> {
  const trace = new StampedTrace();
  actions.begin(trial.trialId, trace.events);
  const attack = trialAttack(trial);
  if (attack) trace.emit({ type: 'attack', ...attack });
  let attempt: Attempt | undefined;
  const conversation = targets.isConversation(trial.scenario)
    ? evaluatorRunner.conversation(trial, trace.events)
    : undefined;
  const timeoutMs = targets.isAgentDriven(trial.scenario) ? undefined : trial.scenario.timeoutMs;
  const fault = await limits.within(
    timeoutMs,
    async (stop) => {
      // Not `using`: what it compiles to for Node 20 costs as much as the rest of this function.
      const lease =
        targets.leaseOpen(trial.scenario) ?? (await trace.preparing(() => targets.lease(trial.scenario, stop)));
      try {
        const turns = conversation ? unhurried(conversation, trace) : untilItEnds;
        if (!prepared) attempt = await lease.target.attempt(trial, trace, stop, turns);
        else {
          const look = (work?: PreparedWork) => trace.preparing(() => prepared(trial, work, stop.signal));
          if (!targets.preparesItself(trial.scenario)) await look();
          attempt = await lease.target.attempt(trial, trace, stop, { ...turns, prepared: look });
        }
      } finally {
        lease[Symbol.dispose]();
      }
    },
    trace,
  );
  if (fault === 'interrupted') return fault;
  const { events, startedAt } = trace;
  const ofModel = failedSimulation(events);
  const { workspace, settle: settleWork } = attempt ?? {};
  return {
    trace: events,
    fault: ofModel ?? fault,
    startedAt,
    durationMs: trace.elapsedMs,
    workspace,
    settleWork,
    conversation,
  };
}

/** Where a model could not play a tool, all that follows says nothing about what is under test. */
function failedSimulation(trace: Trace): Fault | undefined {
  if (!hasEvent(trace, 'tool-control')) return undefined;
  return eventsOf(trace, 'tool-control').find(({ failure }) => failure)?.failure;
}

/** Evaluates turns while the clock of the trial stands still: the time of a judge is not that of the agent. */
function unhurried(turns: TurnControl, trace: Pick<StampedTrace, 'pause'>): TurnControl {
  return {
    async afterTurn(isLast) {
      let goOn = trace.pause();
      const onClock = async (ask: () => Promise<boolean>): Promise<boolean> => {
        goOn();
        try {
          return await ask();
        } finally {
          goOn = trace.pause();
        }
      };
      try {
        return await turns.afterTurn(typeof isLast === 'function' ? () => onClock(isLast) : isLast);
      } finally {
        goOn();
      }
    },
  };
}

/** For targets that give one answer: no evaluator stops them. */
const untilItEnds: TurnControl = {
  afterTurn: async (isLast) => ((typeof isLast === 'boolean' ? isLast : await isLast()) ? 'stop' : 'go on'),
};
