import { type Interaction, isShare } from '../../domain/interaction.ts';
import type { TrialRecord } from '../../domain/record.ts';
import { targetCostOf } from '../../domain/trial-costs.ts';

/** The figures of how an agent used the tool that are compared, in this order. */
export const interactionFigures = [
  'error_rate',
  'retry_rate',
  'help_invocations',
  'first_try_success_rate',
  'total_commands',
] as const satisfies readonly (keyof Interaction)[];

/**
 * Every number of a judged trial by its name; the outcome counts as 1 or 0. Null is a figure that was wanted and not
 * observed.
 */
export function* figuresOf(record: TrialRecord): Generator<readonly [name: string, value: number | null], void> {
  yield ['pass-rate', record.outcome === 'pass' ? 1 : 0];
  // What the judge took says nothing of what is under test, and what it took from its cache was not free.
  yield ['cost-usd', targetCostOf(record)];
  yield ['duration-ms', record.durationMs];
  const usage = targetUsageOf(record);
  if (usage) yield ['tokens', usage.inputTokens + usage.outputTokens];
  if (record.judge?.score !== undefined) yield ['judge-score', record.judge.score];
  if (record.compositeScore !== null) yield ['composite-score', record.compositeScore];
  if (record.workflowScore !== null) yield ['workflow-score', record.workflowScore];
  if (record.interaction) {
    const { interaction } = record;
    for (const name of interactionFigures) {
      // A share of no commands says nothing of the tool.
      const isObserved = interaction.total_commands > 0 || !isShare(name);
      yield [`interaction.${name}`, isObserved ? interaction[name] : null];
    }
  }
  const isMeasured = measuredIn(record);
  for (const [name, value] of Object.entries(record.metrics)) if (isMeasured(name, value)) yield [name, value];
}

/** Records that were written before the tokens were split hold those of the judge too. */
function targetUsageOf({ usage, targetUsage, judge }: TrialRecord): TrialRecord['usage'] {
  if (targetUsage !== undefined) return targetUsage;
  if (!usage || !judge) return usage;
  return {
    inputTokens: Math.max(0, usage.inputTokens - judge.usage.inputTokens),
    outputTokens: Math.max(0, usage.outputTokens - judge.usage.outputTokens),
  };
}

/**
 * Records of earlier versions keep a metric that failed as 0, and that 0 was never measured; those of the interaction
 * are told already.
 */
function measuredIn(record: TrialRecord): (name: string, value: number | null) => boolean {
  const { evaluatorResults, interaction, metrics } = record;
  const broken = new Set(
    evaluatorResults.flatMap(({ kind, state, type }) => (kind === 'metric' && state === 'error' ? [type] : [])),
  );
  // The name of a metric need not be that of its evaluator: then any 0 may be the one that failed.
  const isZeroDoubtful = [...broken].some((type) => metrics[type] === undefined);
  return (name, value) => {
    if (interaction && (name === 'interaction' || name in interaction)) return false;
    return value === null || (!broken.has(name) && !(isZeroDoubtful && value === 0));
  };
}
