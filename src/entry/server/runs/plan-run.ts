import type { Project } from '../../../compose/config/project.ts';
import { ProjectAgents } from '../../../compose/config/project-agents.ts';
import { trialReuseIn } from '../../../compose/reuse/trial-reuse.ts';
import { estimateRun, sumEstimates, type VariantEstimate } from '../../../compose/run/estimate-run.ts';
import { selectScenarios } from '../../../compose/run/prepare-run.ts';
import { concurrencyFor } from '../../../compose/run/run-project.ts';
import { openPriceList } from '../../../drive/models/prices.ts';
import type { Store } from '../../../keep/store/store.ts';
import { groupedBy } from '../../../shared/grouped-by.ts';
import { canonicalJson } from '../../../shared/json.ts';
import type { RunPlan, StartRun } from '../api/runs.ts';
import { optionsOf } from './run-request.ts';

const mostVariants = 50;

/** Counts the trials of a run, and estimates its cost and time by earlier trials; nothing is run. */
export async function planRun(
  wish: StartRun,
  { project, store, env }: { readonly project: Project; readonly store: Store; readonly env: Environment },
): Promise<RunPlan> {
  const options = await optionsOf(wish, project, store);
  const { scenarios } = await selectScenarios(options, project, { env });
  const agents = new ProjectAgents(project, env, { mayInstall: false });
  const reuse = trialReuseIn({ project, agents, env, options });
  const costOf = await openPriceList(project.config.models);
  const estimates = await estimateRun(scenarios, { project, store, agents, reuse, costOf });
  const sum = sumEstimates(estimates, options.concurrency ?? concurrencyFor(scenarios, project));
  const byVariant = groupedBy(estimates, ({ variant }) => canonicalJson(variant));
  return {
    scenarios: scenarios.length,
    cases: scenarios.reduce((total, { caseCount }) => total + caseCount, 0),
    trials: sum.trials,
    reused: sum.cached,
    costUsd: isCostKnown(estimates) ? sum.costUsd : null,
    isCostLowerBound: sum.isLowerBound,
    durationMs: sum.durationMs,
    earlierTrials: sum.earlierTrials,
    variantCount: byVariant.size,
    variants: [...byVariant.values()].slice(0, mostVariants).flatMap(variantPlan),
  };
}

type Environment = Readonly<Record<string, string | undefined>>;

function isCostKnown(estimates: readonly VariantEstimate[]): boolean {
  return estimates.some(({ costUsd }) => costUsd !== null);
}

function variantPlan(estimates: readonly VariantEstimate[]): RunPlan['variants'] {
  const [first] = estimates;
  if (!first) return [];
  const { trials, costUsd, isLowerBound, earlierTrials } = sumEstimates(estimates, 1);
  const cost = isCostKnown(estimates) ? costUsd : null;
  return [{ variant: first.variant, trials, costUsd: cost, isCostLowerBound: isLowerBound, earlierTrials }];
}
