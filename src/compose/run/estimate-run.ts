import type { Workflow } from '../../domain/mcp/suites.ts';
import type { Scenario } from '../../domain/scenario.ts';
import { type Variant, variantParts } from '../../domain/variant.ts';
import type { CostOf } from '../../drive/targets/agent-task/agent-work.ts';
import type { CliToolConfig } from '../../drive/targets/agent-task/task-config.ts';
import { plan, trialCount } from '../../engine/plan.ts';
import type { TrialReuse } from '../../engine/record-sink.ts';
import type { Store } from '../../keep/store/store.ts';
import type { ProjectAgents } from '../config/project-agents.ts';

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
  readonly costFrom: 'earlier trials' | 'the prompt alone' | 'no model' | 'no price is known';
}

export interface EstimateParts {
  /** Undefined where nothing was run before. */
  readonly store: Store | undefined;
  readonly agents: ProjectAgents;
  readonly reuse: TrialReuse | undefined;
  readonly costOf: CostOf;
}

const charactersPerToken = 4;
const lookedAt = 50;

/** Estimates trials, tokens and cost of a run without running it. */
export async function estimateRun(scenarios: readonly Scenario[], parts: EstimateParts): Promise<VariantEstimate[]> {
  const estimates: VariantEstimate[] = [];
  for (const scenario of scenarios) {
    for (const variant of scenario.variants) estimates.push(await estimateVariant(scenario, variant, parts));
  }
  return estimates;
}

async function estimateVariant(scenario: Scenario, variant: Variant, parts: EstimateParts): Promise<VariantEstimate> {
  const { name, file } = scenario;
  const trials = trialCount({ ...scenario, variants: [variant] });
  const planned = { scenario: name, file, variant, trials };
  if (variant.agent === undefined && scenario.serverPart !== 'workflow') {
    return { ...planned, cached: 0, promptTokens: null, costUsd: 0, costFrom: 'no model' };
  }
  const promptTokens = Math.ceil((await promptOf(scenario)).length / charactersPerToken);
  const cached = parts.reuse && variant.agent !== undefined ? await countCached(scenario, variant, parts.reuse) : 0;
  const { each, costFrom } = await costOfOne(scenario, variant, promptTokens, parts);
  return { ...planned, cached, promptTokens, costUsd: each === null ? null : each * (trials - cached), costFrom };
}

async function promptOf({ target, serverPart, cases }: Scenario): Promise<string> {
  if (serverPart === undefined) return (target.config as CliToolConfig).prompt;
  for await (const { input } of cases()) return (input as Workflow).steps.map(({ user }) => user).join('\n');
  return '';
}

/** A trial whose inputs cannot be read is not reused, which is not a fault here. */
async function countCached(scenario: Scenario, variant: Variant, reuse: TrialReuse): Promise<number> {
  let cached = 0;
  for await (const trial of plan('', [{ ...scenario, variants: [variant] }])) {
    const reusable = await reuse.open(trial, () => undefined);
    if (reusable?.kept) cached++;
  }
  return cached;
}

async function costOfOne(
  scenario: Scenario,
  variant: Variant,
  promptTokens: number,
  { store, agents, costOf }: EstimateParts,
): Promise<{ readonly each: number | null; readonly costFrom: VariantEstimate['costFrom'] }> {
  const earlier = (await store?.findTrialsOfScenario(scenario.name, lookedAt)) ?? [];
  const same = earlier.filter((record) => isSame(record.variant, variant) && record.usage !== null);
  const costs = same.flatMap(({ costUsd }) => costUsd ?? []);
  if (costs.length > 0) {
    return { each: costs.reduce((sum, cost) => sum + cost, 0) / costs.length, costFrom: 'earlier trials' };
  }
  const agent = variant.agent === undefined ? undefined : await agents.find(variant.agent).catch(() => undefined);
  if (agent?.kind.isScripted) return { each: 0, costFrom: 'no model' };
  const model = variant.model ?? agent?.settings.model;
  const least = model === undefined ? undefined : costOf(model, { inputTokens: promptTokens, outputTokens: 0 });
  if (least === undefined) return { each: null, costFrom: 'no price is known' };
  return { each: least, costFrom: 'the prompt alone' };
}

function isSame(a: Variant, b: Variant): boolean {
  return variantParts.every((part) => a[part] === b[part]);
}
