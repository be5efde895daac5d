import type { Fault } from '../domain/outcome.ts';
import type { TrialRecord } from '../domain/record.ts';
import type { Scenario } from '../domain/scenario.ts';
import type { TargetKind } from '../drive/targets/target.ts';
import { nothingFound } from '../engine/findings.ts';
import type { KeptWorkspace, PastTrial } from '../engine/rescore.ts';
import type { FinishedTrial } from '../keep/store/store.ts';
import type { Evaluator } from '../score/evaluators/evaluator.ts';
import { contentKey } from '../shared/ids.ts';
import type { TodaysCase } from './rescore-scenarios.ts';

/** A trial as it was, and the run that it is evaluated in again. */
interface Revisited {
  readonly past: FinishedTrial;
  readonly runId: string;
}

/** What of the project a trial is evaluated with. */
export interface TodaysParts {
  readonly targets: readonly TargetKind[];
  readonly evaluators: ReadonlyMap<string, Evaluator>;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A trial of the past with the scenario and the case of today; `folder` is where it left its work, if that is known. */
export function pastTrial(
  { past: { record, trace }, runId }: Revisited,
  { scenario, case: testCase }: TodaysCase,
  { targets, evaluators, env }: TodaysParts,
  folder: string | undefined,
): PastTrial {
  const { variant, repeat, ordinal, startedAt, durationMs, artifacts, turns } = record;
  const trial = { trialId: trialIdIn(runId, record), runId, ordinal, scenario, case: testCase, variant, repeat };
  return {
    trial,
    trace,
    fault: executionFault(record),
    startedAt,
    durationMs,
    cachedFrom: record.cachedFrom ?? undefined,
    artifacts,
    turns,
    isConversation: isConversation(scenario, targets),
    openWorkspace: () => openWork({ trial, folder, env, evaluators }),
  };
}

/** A trial of the past that cannot be evaluated any more: nothing is said of it but why. */
export function leftOut({ past: { record, trace }, runId }: Revisited, reason: string): FinishedTrial {
  const nothing = { ...nothingFound(), workflowScore: null, compositeScore: null, fault: null };
  const trialId = trialIdIn(runId, record);
  return { record: { ...record, ...nothing, trialId, runId, outcome: 'skipped', reason }, trace };
}

/** The id follows from the trial that is evaluated again. */
function trialIdIn(runId: string, { trialId }: Pick<TrialRecord, 'trialId'>): string {
  return `t-${contentKey([runId, trialId])}`;
}

/** What kept a trial from being judged at all: an evaluator that broke has an answer of its own that says so. */
function executionFault({ outcome, fault, evaluatorResults }: TrialRecord): Fault | undefined {
  const isEvaluators = evaluatorResults.some(({ state }) => state === 'error');
  return outcome === 'error' && fault && fault.code !== 'NOTHING_ASSERTED' && !isEvaluators ? fault : undefined;
}

function isConversation({ target }: Scenario, kinds: readonly TargetKind[]): boolean {
  return kinds.find(({ type }) => type === target.type)?.provides.includes('turns') ?? false;
}

async function openWork(
  ...work: Parameters<typeof import('./rescore-workspace.ts')['openKeptWork']>
): Promise<KeptWorkspace> {
  return (await import('./rescore-workspace.ts')).openKeptWork(...work);
}
