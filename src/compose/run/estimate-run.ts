import type { Workflow } from '../../domain/mcp/suites.ts';
import type { Scenario } from '../../domain/scenario.ts';
import type { Trial } from '../../domain/trial.ts';
import type { Variant } from '../../domain/variant.ts';
import { openPriceList } from '../../drive/models/prices.ts';
import type { CostOf } from '../../drive/targets/agent-task/agent-work.ts';
import type { CliToolConfig } from '../../drive/targets/agent-task/task-config.ts';
import type { StartOptions } from '../../engine/feature.ts';
import { plan, trialCount } from '../../engine/plan.ts';
import { features } from '../../features/index.ts';
import type { Store } from '../../keep/store/store.ts';
import type { Project } from '../config/project.ts';
import { ProjectAgents } from '../config/project-agents.ts';
import { projectRedaction } from '../config/redaction.ts';
import { thisProgram } from '../program.ts';
import { isJudged } from './cost-limits.ts';
import { type EarlierFigures, EarlierTrials } from './earlier-trials.ts';
import { reusePartsOf } from './reuse-parts.ts';

/** Estimate for the trials of one scenario under one variant. */
export interface VariantEstimate {
  readonly scenario: string;
  readonly file: string;
  readonly variant: Variant;
  readonly trials: number;
  /** Trials whose result would be taken over from an earlier run. */
  readonly cached: number;
  /** Approximate tokens of the prompt; null where no model is called. */
  readonly promptTokens: number | null;
  /** For all trials that would run; null where there is no price. */
  readonly costUsd: number | null;
  /** Earlier trials give an expected cost, the prompt alone only a lower bound. */
  readonly costFrom: 'earlier trials' | 'the prompt alone' | 'no model' | 'no price is known' | 'not run before';
  /** Time of all trials that would run, one after the other; null where none was measured before. */
  readonly durationMs: number | null;
  /** The earlier trials that these figures rest on. */
  readonly earlier: { readonly trials: number; readonly runs: number };
}

interface EstimatePlace {
  readonly project: Project;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly options: StartOptions;
  /** Undefined where nothing was run before. */
  readonly store: Store | undefined;
}

interface EstimateParts {
  readonly project: Project;
  readonly agents: ProjectAgents;
  readonly costOf: CostOf;
  /** Whether a feature has the result of a trial already. */
  isKnown(trial: Trial): Promise<boolean>;
}

const charactersPerToken = 4;

/** Estimates trials, tokens and cost of a run without running it. */
export async function estimateRun(
  scenarios: readonly Scenario[],
  { project, env, options, store }: EstimatePlace,
): Promise<VariantEstimate[]> {
  const estimates: VariantEstimate[] = [];
  const earlier = await EarlierTrials.read(store);
  const agents = new ProjectAgents(project, env, { mayInstall: false });
  const costOf = await openPriceList(project.config.models);
  const redact = projectRedaction(project, env);
  const place = {
    project,
    env,
    options,
    redact,
    program: thisProgram(),
    parts: reusePartsOf(project, agents, env, options),
  };
  const isKnown = async (trial: Trial): Promise<boolean> => {
    for (const feature of features) if (await feature.isKnown?.(trial, place)) return true;
    return false;
  };
  const parts = { project, agents, costOf, isKnown };
  for (const scenario of scenarios) {
    for (const variant of scenario.variants) estimates.push(await estimateVariant(scenario, variant, earlier, parts));
  }
  return estimates;
}

async function estimateVariant(
  scenario: Scenario,
  variant: Variant,
  earlierTrials: EarlierTrials,
  parts: EstimateParts,
): Promise<VariantEstimate> {
  const { name, file } = scenario;
  const trials = trialCount({ ...scenario, variants: [variant] });
  const earlier = earlierTrials.find(name, variant);
  const hasPrompt = variant.agent !== undefined || scenario.serverPart === 'workflow';
  const cached = variant.agent === undefined ? 0 : await countKnown(scenario, variant, parts);
  const promptTokens = hasPrompt ? Math.ceil((await promptOf(scenario)).length / charactersPerToken) : null;
  const { each, costFrom } = await costOfOne(scenario, variant, promptTokens, earlier, parts);
  const ofAll = (value: number | null): number | null => (value === null ? null : value * (trials - cached));
  return {
    ...{ scenario: name, file, variant, trials, cached, promptTokens, costFrom },
    costUsd: ofAll(each),
    durationMs: ofAll(earlier.meanMs),
    earlier: { trials: earlier.trials, runs: earlier.runs },
  };
}

async function promptOf({ target, serverPart, cases }: Scenario): Promise<string> {
  if (serverPart === undefined) return (target.config as CliToolConfig).prompt;
  for await (const { input } of cases()) return (input as Workflow).steps.map(({ user }) => user).join('\n');
  return '';
}

async function countKnown(scenario: Scenario, variant: Variant, { isKnown }: EstimateParts): Promise<number> {
  let count = 0;
  for await (const trial of plan('', [{ ...scenario, variants: [variant] }])) if (await isKnown(trial)) count++;
  return count;
}

interface CostOfOne {
  readonly each: number | null;
  readonly costFrom: VariantEstimate['costFrom'];
}

async function costOfOne(
  scenario: Scenario,
  variant: Variant,
  promptTokens: number | null,
  { meanUsd }: EarlierFigures,
  { project, agents, costOf }: EstimateParts,
): Promise<CostOfOne> {
  if (meanUsd !== null) return { each: meanUsd, costFrom: 'earlier trials' };
  const agent = variant.agent === undefined ? undefined : await agents.find(variant.agent).catch(() => undefined);
  const isModelFree = promptTokens === null ? scenario.target.type !== 'conversation' : agent?.kind.isScripted;
  if (isModelFree && !(await isJudged(scenario, project))) return { each: 0, costFrom: 'no model' };
  if (promptTokens === null || isModelFree) return { each: null, costFrom: 'not run before' };
  const model = variant.model ?? agent?.settings.model;
  const least = model === undefined ? undefined : costOf(model, { inputTokens: promptTokens, outputTokens: 0 });
  if (least === undefined) return { each: null, costFrom: 'no price is known' };
  return { each: least, costFrom: 'the prompt alone' };
}

/** All variants of a run together. */
export interface RunEstimate {
  readonly trials: number;
  readonly cached: number;
  /** Of the variants with a known cost. */
  readonly costUsd: number;
  /** Whether costs are missing from the sum, or are only the least that they can be. */
  readonly isLowerBound: boolean;
  /** With so many trials at a time; null where a variant was not measured before. */
  readonly durationMs: number | null;
  readonly earlierTrials: number;
}

/** Adds up the estimates of a run. */
export function sumEstimates(estimates: readonly VariantEstimate[], concurrency: number): RunEstimate {
  const sum = (pick: (estimate: VariantEstimate) => number): number =>
    estimates.reduce((total, estimate) => total + pick(estimate), 0);
  const trials = sum((one) => one.trials);
  const cached = sum((one) => one.cached);
  const isMeasured = estimates.every((one) => one.durationMs !== null);
  const atATime = Math.max(1, Math.min(concurrency, trials - cached));
  return {
    ...{ trials, cached },
    costUsd: sum((one) => one.costUsd ?? 0),
    isLowerBound: estimates.some((one) => one.costUsd === null || one.costFrom === 'the prompt alone'),
    durationMs: isMeasured ? sum((one) => one.durationMs ?? 0) / atATime : null,
    earlierTrials: sum((one) => one.earlier.trials),
  };
}
