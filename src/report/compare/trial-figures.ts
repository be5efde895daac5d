import { targetCostOf } from '../../domain/costs.ts';
import { type Interaction, isShare } from '../../domain/interaction.ts';
import { metRealTool } from '../../domain/marks.ts';
import type { TrialRecord } from '../../domain/record.ts';
import { totalTokensOf } from '../../domain/usage.ts';

/** Something that held in a trial, or did not. */
interface TrialCheck {
  readonly name: string;
  readonly passed: boolean;
}

/**
 * Every named check of a trial: gates, criteria, criteria of the judge, tests of a server, and
 * assertions. Checks that could not be judged are left out. Checks of the same name are numbered.
 */
export function checksOf(record: TrialRecord): TrialCheck[] {
  return numbered([
    ...record.gates.map(({ gate_type, passed }) => ({ name: gate_type, passed })),
    ...criteriaChecks(record),
    ...judgeChecks(record),
    ...record.toolHealth.flatMap(({ testName, state }) =>
      state === 'error' ? [] : [{ name: testName, passed: state === 'pass' }],
    ),
    ...record.workflow.flatMap(({ metric, passed, state }) => (state === 'error' ? [] : [{ name: metric, passed }])),
    ...assertionChecks(record),
  ]);
}

function criteriaChecks({ criteria }: TrialRecord): TrialCheck[] {
  if (!criteria) return [];
  return [
    ...criteria.passCriteriaEvaluation.details.map(({ criterion, result }) => ({ name: criterion, passed: result })),
    ...criteria.failCriteriaEvaluation.details.map(({ criterion, triggered }) => ({
      name: `not: ${criterion}`,
      passed: !triggered,
    })),
  ];
}

function judgeChecks({ judge }: TrialRecord): TrialCheck[] {
  return (judge?.criteria ?? []).flatMap(({ id, kind, answer }) => {
    if (kind === 'weighted' || kind === 'claim' || answer === 'cannot-tell') return [];
    return [{ name: `judge: ${id}`, passed: (answer === 'met') === (kind === 'success') }];
  });
}

/** Without those that have more detailed checks. */
function assertionChecks({ evaluatorResults, gates, criteria, toolHealth, workflow }: TrialRecord): TrialCheck[] {
  const detailed = new Set([
    ...gates.map(({ gate_type }) => gate_type),
    ...(criteria ? ['criteria'] : []),
    ...(toolHealth.length > 0 ? ['tool-health'] : []),
    ...(workflow.length > 0 ? ['workflow-success', 'workflow-call-health', 'workflow-tool-order'] : []),
  ]);
  return evaluatorResults.flatMap(({ type, kind, state }) =>
    kind === 'assertion' && (state === 'pass' || state === 'fail') && !detailed.has(type)
      ? [{ name: type, passed: state === 'pass' }]
      : [],
  );
}

function numbered(checks: readonly TrialCheck[]): TrialCheck[] {
  const counts = new Map<string, number>();
  return checks.map(({ name, passed }) => {
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return { name: count === 1 ? name : `${name} (${count})`, passed };
  });
}

/** The figures of how an agent used the tool that are compared, in this order. */
const interactionFigures = [
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
  // The judge's usage says nothing about the tool under test, and its cached verdicts were not free.
  // A recording answers for nothing and at once: neither figure says anything about the model.
  yield ['cost-usd', record.isReplayed ? null : targetCostOf(record)];
  yield ['duration-ms', metRealTool(record) ? record.durationMs : null];
  const usage = targetUsageOf(record);
  if (usage) yield ['tokens', totalTokensOf(usage) ?? null];
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

/** The part of the target; absent where it spent all of it. */
function targetUsageOf({ usage, targetUsage }: TrialRecord): TrialRecord['usage'] {
  return targetUsage === undefined ? usage : targetUsage;
}

/**
 * Records of earlier versions keep a metric that failed as 0, and that 0 was never measured; those of the interaction
 * are reported separately.
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
