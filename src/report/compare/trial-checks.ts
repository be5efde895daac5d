import type { TrialRecord } from '../../domain/record.ts';

/** Something that held in a trial, or did not. */
export interface TrialCheck {
  readonly name: string;
  readonly passed: boolean;
}

/**
 * Everything that a trial was checked for by name: gates, criteria, what the judge looked at, tests of a server, and
 * assertions. What could not be judged is left out. Things of the same name are told apart by their order.
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
    if (kind === 'weighted' || answer === 'cannot-tell') return [];
    return [{ name: `judge: ${id}`, passed: (answer === 'met') === (kind === 'success') }];
  });
}

/** Those that are told in more detail above are left out. */
function assertionChecks({ evaluatorResults, gates, criteria, toolHealth, workflow }: TrialRecord): TrialCheck[] {
  const told = new Set([
    ...gates.map(({ gate_type }) => gate_type),
    ...(criteria ? ['criteria'] : []),
    ...(toolHealth.length > 0 ? ['tool-health'] : []),
    ...(workflow.length > 0 ? ['workflow-success', 'workflow-call-health', 'workflow-tool-order'] : []),
  ]);
  return evaluatorResults.flatMap(({ type, kind, state }) =>
    kind === 'assertion' && (state === 'pass' || state === 'fail') && !told.has(type)
      ? [{ name: type, passed: state === 'pass' }]
      : [],
  );
}

function numbered(checks: readonly TrialCheck[]): TrialCheck[] {
  const seen = new Map<string, number>();
  return checks.map(({ name, passed }) => {
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    return { name: count === 1 ? name : `${name} (${count})`, passed };
  });
}
