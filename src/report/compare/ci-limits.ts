import { type CiRole, type CiRules, ciOfCase, isQuarantined, type ScenarioCi } from '../../domain/ci.ts';
import type { CaseCounts, RunHeader } from '../../domain/run.ts';
import type { Variant } from '../../domain/variant.ts';
import { groupedBy } from '../../shared/grouped-by.ts';
import { canonicalJson } from '../../shared/json.ts';
import { passHatK } from '../../shared/stats/repeated-passes.ts';

/** Means are sums of floating-point numbers: 0.8 of five thirds must still be 0.8. */
const rounding = 1e-9;

/** A limit that a file sets, and whether the trials keep it. */
export interface CiLimit {
  readonly rule: 'minPassRate' | 'passK' | 'maxCostRise';
  readonly scenario: string;
  /** Null for a limit of the whole scenario. */
  readonly caseId: string | null;
  readonly variant: Variant;
  /**
   * `unknown`: trials that could not be judged would decide it; `unclear`: it was exceeded, which chance explains, so the
   * build does not fail; `not-checked`: there is no baseline.
   */
  readonly state: 'met' | 'missed' | 'unknown' | 'unclear' | 'not-checked';
  readonly required: number;
  readonly observed: number | null;
  /** False where a missed limit does not fail the build. */
  readonly counts: boolean;
  readonly message: string;
}

/** The rules for each case, and where its trials stand. */
export interface RuledCase extends CaseCounts {
  readonly rules: CiRules;
  readonly role: CiRole;
  readonly isQuarantined: boolean;
}

/** Every case of a run with the rules of its file. */
export function ruledCases(run: RunHeader, counts: readonly CaseCounts[]): RuledCase[] {
  const sections = new Map(run.scenarios.map(({ file, name, ci }) => [keyOf(file, name), ci]));
  return counts.map((one) => {
    const rules = ciOfCase(sections.get(keyOf(one.file, one.scenario)), one.caseId);
    const { quarantine, role = 'regression' } = rules;
    return { ...one, rules, role, isQuarantined: quarantine !== undefined && isQuarantined(quarantine, run.startedAt) };
  });
}

/** Results of `minPassRate` and `passK` of every scenario and case; quarantined cases are left out. */
export function checkedLimits(run: RunHeader, cases: readonly RuledCase[]): CiLimit[] {
  const active = cases.filter((one) => !one.isQuarantined);
  return run.scenarios.flatMap(({ file, name, ci }) => {
    if (!ci) return [];
    const own = active.filter((one) => one.file === file && one.scenario === name);
    return [...groupedBy(own, ({ variant }) => canonicalJson(variant)).values()].flatMap((ofVariant) => [
      ...limitsOf(ci, null, ofVariant),
      ...ofVariant.flatMap((one) => limitsOf(ci.cases?.[one.caseId], one.caseId, [one])),
    ]);
  });
}

/** Whether `minPassRate` or `passK` of a case or its scenario decides about its failures. */
export function isLimited(ci: ScenarioCi | undefined, caseId: string): boolean {
  return [ci, ci?.cases?.[caseId]].some((rules) => rules?.minPassRate !== undefined || rules?.passK !== undefined);
}

function limitsOf(rules: CiRules | undefined, caseId: string | null, cases: readonly RuledCase[]): CiLimit[] {
  const [first] = cases;
  if (!rules || !first) return [];
  const { scenario, variant } = first;
  const counts = cases.some(({ role }) => role !== 'capability');
  const place = { scenario, caseId, variant, counts };
  const { minPassRate, passK } = rules;
  const found: CiLimit[] = [];
  if (minPassRate !== undefined) {
    const range = rangeOver(cases, ({ passed, tried }) => (tried === 0 ? undefined : passed / tried));
    const named = { rule: 'minPassRate', required: minPassRate } as const;
    found.push({ ...place, ...named, ...judged(range, minPassRate, 'pass rate') });
  }
  if (passK !== undefined) {
    const range = rangeOver(cases, (tries) => passHatK(tries, passK.k));
    const named = { rule: 'passK', required: passK.atLeast } as const;
    found.push({ ...place, ...named, ...judged(range, passK.atLeast, `pass^${passK.k}`, passK.k) });
  }
  return found;
}

interface Range {
  readonly observed: number | undefined;
  /** If all trials that could not be judged had failed, or passed; undefined with too few trials. */
  readonly low: number | undefined;
  readonly high: number | undefined;
}

type Estimate = (tries: { readonly passed: number; readonly tried: number }) => number | undefined;

function rangeOver(cases: readonly RuledCase[], estimate: Estimate): Range {
  const mean = (of: (one: RuledCase) => number | undefined): number | undefined => {
    const values = cases.map(of);
    if (values.some((value) => value === undefined)) return undefined;
    return values.reduce<number>((sum, value) => sum + (value ?? 0), 0) / values.length;
  };
  return {
    observed: mean(({ pass, fail }) => estimate({ passed: pass, tried: pass + fail })),
    low: mean(({ pass, fail, unjudged }) => estimate({ passed: pass, tried: pass + fail + unjudged })),
    high: mean(({ pass, fail, unjudged }) => estimate({ passed: pass + unjudged, tried: pass + fail + unjudged })),
  };
}

function judged(
  { observed, low, high }: Range,
  required: number,
  what: string,
  k?: number,
): Pick<CiLimit, 'state' | 'observed' | 'message'> {
  const isKnown = low !== undefined && high !== undefined;
  const state = !isKnown
    ? 'unknown'
    : high < required - rounding
      ? 'missed'
      : low >= required - rounding
        ? 'met'
        : 'unknown';
  const wanted = `at least ${shareText(required)} required`;
  const why = isKnown ? 'trials that could not be judged decide it' : `fewer than ${k ?? 1} judged trials of a case`;
  const message =
    state === 'unknown'
      ? `${what} is unknown: ${why}; ${wanted}`
      : `${what} ${shareText(observed ?? high ?? 0)}, ${wanted}`;
  return { state, observed: observed ?? null, message };
}

/** Shares as files write them. */
function shareText(share: number): string {
  return String(Number(share.toFixed(3)));
}

function keyOf(file: string, scenario: string): string {
  return JSON.stringify([file, scenario]);
}
