import type { CiRole, Quarantine } from '../../domain/ci.ts';
import type { CaseCounts, RunHeader, RunSummary } from '../../domain/run.ts';
import type { Variant } from '../../domain/variant.ts';
import { counted } from '../../shared/format.ts';
import type { CaseTally } from '../../shared/stats/broken-cases.ts';
import { rateOfCases } from './case-rates.ts';
import { type CiLimit, checkedLimits, isLimited, type RuledCase, ruledCases } from './ci-limits.ts';
import type { CostResult } from './cost-limits.ts';
import type { FailingCase, FailureKind } from './failing-cases.ts';
import type { BaselineCheck } from './regressions.ts';

/** Why the failures of a case do not fail the build. */
export type Excuse = 'quarantined' | 'capability' | 'flaky' | 'chance' | 'limit' | 'min-pass-rate';

/** A case that did not simply pass, or that is set aside. */
export interface CiCase {
  readonly file: string;
  readonly scenario: string;
  readonly caseId: string;
  readonly variant: Variant;
  readonly role: CiRole;
  readonly passed: number;
  readonly failed: number;
  readonly unjudged: number;
  /** Beside the baseline; null where there is none, or it does not have the case. */
  readonly kind: FailureKind | null;
  readonly before: CaseTally | null;
  /** How many such drops a suite as flaky as this one shows by chance; null like `kind`. */
  readonly chance: number | null;
  /** Null where its failures fail the build. */
  readonly excuse: Excuse | null;
  readonly quarantine: (Quarantine & { readonly isExpired: boolean }) | null;
}

/** Whether a build passes: what the files demand, what does not count, and what the baseline says. */
export interface CiVerdict {
  /** `error`: something that counts could not be judged, and nothing failed. */
  readonly outcome: 'pass' | 'fail' | 'error';
  readonly reason: string;
  readonly limits: readonly CiLimit[];
  readonly cases: readonly CiCase[];
  /** Cases, each under each variant, by role. */
  readonly roles: Readonly<Record<CiRole, { readonly cases: number; readonly passed: number }>>;
}

export interface CiQuestion {
  readonly summary: RunSummary;
  /** All trials, whatever marks they have. */
  readonly counts: readonly CaseCounts[];
  /** Those that figures rest on. */
  readonly evidence: readonly CaseCounts[];
  /** Of the whole run, where the request says so. */
  readonly minPassRate?: number | undefined;
  readonly check?: BaselineCheck | undefined;
}

/** The verdict on a run by the rules of its files. Without any rules, every trial must pass. */
export function ciVerdict({ summary, counts, evidence, minPassRate, check }: CiQuestion): CiVerdict {
  const { run } = summary;
  const ruled = ruledCases(run, counts);
  const limits = [...checkedLimits(run, ruled), ...costLimits(run, check)];
  const isGoodEnough = minPassRate !== undefined && reaches(minPassRate, ruledCases(run, evidence));
  const cases = ruled.flatMap((one) => describedCase(one, { run, limits, isGoodEnough, check }));
  const fails = [
    ...countText(cases.filter(({ excuse, failed }) => failed > 0 && excuse === null).length, 'case', 'failed'),
    ...countText(
      limits.filter(({ counts: counting, state }) => counting && state === 'missed').length,
      'limit',
      'missed',
    ),
    ...(check?.outcome === 'fail' ? [check.reason] : []),
  ];
  const errors = unknowns(summary, ruled, limits, check);
  const outcome = fails.length > 0 ? 'fail' : errors.length > 0 ? 'error' : 'pass';
  const reasons = outcome === 'fail' ? fails : outcome === 'error' ? errors : ['Nothing that counts failed'];
  return { outcome, reason: `${reasons.join('; ')}${uncountedText(cases)}`, limits, cases, roles: rolesOf(ruled) };
}

/** Whether the run says more than its trials do: files have rules, or it was compared with a baseline. */
export function hasCiRules({ scenarios }: Pick<RunHeader, 'scenarios'>): boolean {
  return scenarios.some(({ ci }) => ci !== undefined);
}

function reaches(minPassRate: number, cases: readonly RuledCase[]): boolean {
  const counting = cases.filter(({ role, isQuarantined }) => role !== 'capability' && !isQuarantined);
  const { rate } = rateOfCases(counting.map((one) => ({ ...one, passed: one.pass, failed: one.fail })));
  return rate !== null && rate >= minPassRate;
}

interface Surroundings {
  readonly run: RunHeader;
  readonly limits: readonly CiLimit[];
  readonly isGoodEnough: boolean;
  readonly check: BaselineCheck | undefined;
}

function describedCase(one: RuledCase, around: Surroundings): CiCase[] {
  const { file, scenario, caseId, variant, role, rules, pass: passed, fail: failed, unjudged } = one;
  const { quarantine = null } = rules;
  if (failed === 0 && unjudged === 0 && quarantine === null) return [];
  const compared = failed > 0 ? labelOf(one, around.check) : undefined;
  return [
    {
      ...{ file, scenario, caseId, variant, role, passed, failed, unjudged },
      kind: compared?.kind ?? null,
      before: compared?.before ?? null,
      chance: compared?.chance ?? null,
      excuse: excuseOf(one, compared?.kind, around),
      quarantine: quarantine && { ...quarantine, isExpired: !one.isQuarantined },
    },
  ];
}

function excuseOf(
  one: RuledCase,
  kind: FailureKind | undefined,
  { run, limits, isGoodEnough }: Surroundings,
): Excuse | null {
  if (one.isQuarantined) return 'quarantined';
  if (one.role === 'capability') return 'capability';
  const { ci } = run.scenarios.find(({ name }) => name === one.scenario) ?? {};
  if (isLimited(ci, one.caseId)) {
    const isMissed = limits.some((limit) => limit.state === 'missed' && isAbout(limit, one));
    return isMissed ? null : 'limit';
  }
  if (isGoodEnough) return 'min-pass-rate';
  if (kind === 'unclear') return 'chance';
  return kind === 'flaky' ? 'flaky' : null;
}

function isAbout({ rule, scenario, caseId, variant }: CiLimit, one: RuledCase): boolean {
  const isCase = scenario === one.scenario && (caseId ?? one.caseId) === one.caseId;
  return rule !== 'maxCostRise' && isCase && isPartOf(variant, one.variant);
}

function labelOf({ scenario, caseId, variant }: RuledCase, check: BaselineCheck | undefined): FailingCase | undefined {
  const all = check ? [...check.failing, ...check.failingUncounted] : [];
  return all.find((one) => one.scenario === scenario && one.caseId === caseId && isPartOf(one.variant, variant));
}

function isPartOf(part: Readonly<Record<string, string | undefined>>, whole: Variant): boolean {
  return Object.entries(part).every(([key, value]) => whole[key as keyof Variant] === value);
}

const costStates: Readonly<Record<CostResult['state'], CiLimit['state']>> = {
  kept: 'met',
  exceeded: 'missed',
  unclear: 'unclear',
  unknown: 'unknown',
  'not-in-baseline': 'not-checked',
};

/** The limits of cost, which only a baseline can decide. */
function costLimits(run: RunHeader, check: BaselineCheck | undefined): CiLimit[] {
  const base = { rule: 'maxCostRise', variant: {}, observed: null, counts: true } as const;
  if (check) {
    return check.costLimits.map(({ scenario, caseId = null, limit, state, message }) => ({
      ...base,
      ...{ scenario, caseId, required: limit, message },
      state: costStates[state],
    }));
  }
  const message = 'cost not checked: there is no baseline';
  return run.scenarios.flatMap(({ name: scenario, ci }) =>
    [[null, ci] as const, ...Object.entries(ci?.cases ?? {})].flatMap(([caseId, rules]) =>
      rules?.maxCostRise === undefined
        ? []
        : [{ ...base, scenario, caseId, required: rules.maxCostRise, state: 'not-checked' as const, message }],
    ),
  );
}

/** Reasons for an unknown verdict; a trial that could not be judged is never a pass. */
function unknowns(
  { totals }: RunSummary,
  cases: readonly RuledCase[],
  limits: readonly CiLimit[],
  check: BaselineCheck | undefined,
): string[] {
  const setAside = cases.reduce((sum, one) => sum + (one.isQuarantined ? one.unjudged : 0), 0);
  const unjudged = totals.error + totals.skipped + totals.notRun - setAside;
  const isAllSetAside = cases.length > 0 && cases.every(({ isQuarantined }) => isQuarantined);
  return [
    ...(unjudged > 0 ? [`${counted(unjudged, 'trial')} could not be judged`] : []),
    ...(isAllSetAside ? ['No case counts: all are quarantined'] : []),
    ...limits.flatMap(({ state, counts, message }) => (state === 'unknown' && counts ? [message] : [])),
    ...(check?.outcome === 'cannot-tell' ? [check.reason] : []),
  ];
}

function uncountedText(cases: readonly CiCase[]): string {
  const excused = (excuse: Excuse): number => cases.filter((one) => one.failed > 0 && one.excuse === excuse).length;
  const expired = cases.filter(({ quarantine }) => quarantine?.isExpired).length;
  const parts = [
    ...countText(excused('flaky'), 'flaky case'),
    ...countText(excused('chance'), 'case', 'that chance may explain'),
    ...countText(excused('quarantined'), 'quarantined case'),
    ...countText(excused('capability'), 'capability case'),
    ...countText(excused('limit'), 'case', 'within its limits'),
  ];
  const uncounted = parts.length === 0 ? '' : ` (failures that do not count: ${parts.join(', ')})`;
  return `${uncounted}${expired === 0 ? '' : `; ${counted(expired, 'quarantine')} expired`}`;
}

function countText(count: number, singular: string, verb = ''): string[] {
  return count === 0 ? [] : [`${counted(count, singular)}${verb === '' ? '' : ` ${verb}`}`];
}

function rolesOf(cases: readonly RuledCase[]): CiVerdict['roles'] {
  const of = (role: CiRole) => {
    const own = cases.filter((one) => one.role === role);
    return {
      cases: own.length,
      passed: own.filter(({ pass, fail, unjudged }) => pass > 0 && fail + unjudged === 0).length,
    };
  };
  return { regression: of('regression'), capability: of('capability'), holdout: of('holdout') };
}
