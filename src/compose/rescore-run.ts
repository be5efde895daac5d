import type { RunHeader, RunSummary } from '../domain/run.ts';
import type { RunEvent } from '../domain/run-event.ts';
import type { Scenario } from '../domain/scenario.ts';
import type { Spending } from '../drive/models/spending.ts';
import { type PastTrial, rescore } from '../engine/rescore.ts';
import type { FinishedTrial, Store } from '../keep/store/store.ts';
import type { Project } from './config.ts';
import { fanOut } from './fan-out.ts';
import type { JudgeFlags } from './judge-settings.ts';
import { ProjectJudging } from './judging.ts';
import { projectKeeping } from './project-keeping.ts';
import type { TodaysParts } from './rescore-past.ts';
import { RunRedaction } from './run-redaction.ts';

/** How trials of the past are evaluated, wherever they come from. */
export interface RescoreControl {
  readonly project: Project;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly judge?: JudgeFlags | undefined;
  readonly concurrency?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly listeners?: readonly ((event: RunEvent) => void)[] | undefined;
}

interface RescoredTrials {
  readonly header: RunHeader;
  /** All that the trials may be evaluated by. */
  readonly scenarios: readonly Scenario[];
  trials(parts: TodaysParts): AsyncIterable<PastTrial | FinishedTrial>;
}

/** Gates run commands, which take more of a machine than looking at a trace does. */
const agentTrialsAtATime = 4;

/** Evaluates trials with the evaluators and the judge of a project; the run is in the store when it resolves. */
export async function rescoreTrials(
  { header, scenarios, trials }: RescoredTrials,
  store: Store,
  control: RescoreControl,
): Promise<RunSummary> {
  const { project, env, judge = {} } = control;
  const spending = judge.maxUsd === undefined ? undefined : await sharedSpending(judge.maxUsd);
  const redaction = new RunRedaction(env);
  redaction.learn(scenarios);
  await using judging = new ProjectJudging(project, judge, env, spending, redaction.redact);
  const { targets } = project.parts;
  const evaluators = new Map(project.parts.evaluators.map((evaluator) => [evaluator.type, evaluator]));
  const emit = fanOut(control.listeners ?? [], (error) => {
    process.emitWarning(`A listener of run events failed and hears no more: ${String(error)}`);
  });
  await store.createRun(header);
  return rescore(
    header,
    trials({ targets, evaluators, env }),
    { store, evaluators, judging, keeping: projectKeeping(project, env, redaction.secrets) },
    {
      concurrency: control.concurrency ?? usualConcurrency(header, project),
      signal: control.signal ?? new AbortController().signal,
      emit,
    },
  );
}

function usualConcurrency({ scenarios }: RunHeader, { config }: Project): number {
  const hasAgents = scenarios.some(({ isAgentDriven }) => isAgentDriven);
  return hasAgents ? Math.min(agentTrialsAtATime, config.concurrency) : config.concurrency;
}

async function sharedSpending(maxUsd: number): Promise<Spending> {
  const { Spending } = await import('../drive/models/spending.ts');
  return new Spending(maxUsd);
}
