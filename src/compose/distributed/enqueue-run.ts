import type { RunOptions } from '../../domain/option-values.ts';
import type { Scenario } from '../../domain/scenario.ts';
import type { Trial } from '../../domain/trial.ts';
import type { Variant } from '../../domain/variant.ts';
import type { QueuedTrial, TrialGroup } from '../../keep/distribution/distribution.ts';
import { createGroup, enqueueTrials, groupOf, settleQueues } from '../../keep/distribution/trial-groups.ts';
import type { WorkDatabase } from '../../keep/distribution/work-database.ts';
import { closeWorkRun, openWorkRun } from '../../keep/distribution/work-runs.ts';
import type { Project } from '../config/project.ts';
import { ProjectJudging } from '../judge/judging.ts';
import { asksJudge } from '../run/cost-limits.ts';
import { limitsOf, needsOf } from './trial-needs.ts';

interface EnqueueOptions {
  readonly work: WorkDatabase;
  readonly project: Project;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly options: Omit<RunOptions, 'experiment'>;
  readonly bundleId: string;
}

const trialsPerInsertion = 1_000;
const usualAttempts = 3;

/** Lets trials of a run wait for a worker; harmless for those that were queued before. */
export async function enqueueRun(
  runId: string,
  trials: AsyncIterable<Trial> | readonly Trial[],
  options: EnqueueOptions,
): Promise<void> {
  const { work, bundleId } = options;
  const { priority = 0, attempts = usualAttempts } = options.options;
  await openWorkRun(work.db, { runId, bundleId, priority });
  const groupFor = groupsFor(runId, options);
  const waiting = new Map<string, { readonly group: TrialGroup; trials: QueuedTrial[] }>();
  for await (const trial of trials) {
    const group = groupFor(trial);
    let entry = waiting.get(group.groupId);
    if (!entry) {
      entry = { group, trials: [] };
      waiting.set(group.groupId, entry);
      await createGroup(work, group, attempts);
    }
    entry.trials.push(queued(trial));
    if (entry.trials.length < trialsPerInsertion) continue;
    await enqueueTrials(work, group, entry.trials);
    entry.trials = [];
  }
  for (const { group, trials: left } of waiting.values()) await enqueueTrials(work, group, left);
  await settleQueues(work);
  await closeWorkRun(work.db, runId);
}

/** The group of a trial, found once for all cases of a scenario that are judged alike. */
function groupsFor(runId: string, { project, env, options }: EnqueueOptions) {
  const { workerTags = [], replay } = options;
  const judging = new ProjectJudging(project, options, env);
  const personaModel = judging.personaModel();
  const groups = new Map<Scenario, Map<Variant, Map<boolean, TrialGroup>>>();
  return ({ scenario, variant, case: { evaluators } }: Trial): TrialGroup => {
    const isJudged = asksJudge(evaluators, project);
    const ofScenario = groups.get(scenario) ?? new Map<Variant, Map<boolean, TrialGroup>>();
    groups.set(scenario, ofScenario);
    const ofVariant = ofScenario.get(variant) ?? new Map<boolean, TrialGroup>();
    ofScenario.set(variant, ofVariant);
    const group = ofVariant.get(isJudged);
    if (group) return group;
    const judges = isJudged ? judging.modelNames(scenario.judge) : [];
    const keyed = replay === undefined ? judges : [];
    const needs = needsOf(scenario, variant, project, { env, judges: keyed, personaModel });
    const tags = [...new Set([...needs.tags, ...workerTags])];
    const limits = limitsOf(scenario, variant, { runId, project, judges });
    const made = groupOf(runId, { ...needs, tags }, limits);
    ofVariant.set(isJudged, made);
    return made;
  };
}

function queued({ trialId, ordinal, scenario, case: { caseId }, variant, repeat }: Trial): QueuedTrial {
  return { trialId, ordinal, scenario: scenario.name, file: scenario.file, caseId, variant, repeat };
}
