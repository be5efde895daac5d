import type { TrialRecord } from '../domain/record.ts';
import type { Variant } from '../domain/trial.ts';
import { canonicalJson } from '../shared/json.ts';
import { eachTrial, type Store } from '../store/store.ts';

/** How the trials of one case ended in one run. */
interface CaseCounts {
  readonly pass: number;
  readonly total: number;
  /** Of the first trial that did not pass, else of the first. */
  readonly trialId: string;
  readonly reason: string;
}

/** One case in two runs; null where a run does not have it. */
export interface ComparedCase {
  readonly scenario: string;
  readonly caseId: string;
  readonly variant: Variant;
  readonly a: CaseCounts | null;
  readonly b: CaseCounts | null;
  readonly change: 'better' | 'worse' | 'same' | 'only-a' | 'only-b';
}

/** A tool of an MCP server that is not defined as it was. */
export interface ChangedTool {
  readonly scenario: string;
  readonly tool: string;
  readonly change: 'added' | 'removed' | 'changed';
}

type CaseOfRun = CaseCounts & Pick<ComparedCase, 'scenario' | 'caseId' | 'variant'>;

interface SideOfRun {
  readonly cases: ReadonlyMap<string, CaseOfRun>;
  readonly pins: ReadonlyMap<string, Readonly<Record<string, string>>>;
}

/** Pairs the cases of two runs, in the order of the first, and says what became of each. */
export async function compareRuns(store: Store, a: string, b: string, withVariants: boolean) {
  const before = await readSide(store, a, withVariants);
  const after = await readSide(store, b, withVariants);
  const keys = new Set([...before.cases.keys(), ...after.cases.keys()]);
  const cases = [...keys].flatMap((key): ComparedCase[] => {
    const first = before.cases.get(key);
    const second = after.cases.get(key);
    const known = first ?? second;
    if (!known) return [];
    const { scenario, caseId, variant } = known;
    const sides = { a: first ? countsOf(first) : null, b: second ? countsOf(second) : null };
    return [{ scenario, caseId, variant, ...sides, change: changeOf(sides.a, sides.b) }];
  });
  return { cases, changedTools: changedTools(before, after) };
}

async function readSide(store: Store, runId: string, withVariants: boolean): Promise<SideOfRun> {
  const cases = new Map<string, CaseOfRun>();
  const pins = new Map<string, Readonly<Record<string, string>>>();
  for await (const record of eachTrial(store, runId)) {
    const { scenario, caseId } = record;
    const variant = withVariants ? record.variant : {};
    const key = canonicalJson([scenario, caseId, variant]);
    cases.set(key, added(cases.get(key), record, variant));
    if (record.toolPins && !pins.has(scenario)) pins.set(scenario, record.toolPins);
  }
  return { cases, pins };
}

function added(known: CaseOfRun | undefined, record: TrialRecord, variant: Variant): CaseOfRun {
  const { scenario, caseId, outcome, trialId, reason } = record;
  const isPass = outcome === 'pass';
  const { pass, total, ...told } = known ?? { pass: 0, total: 0, trialId, reason };
  // As long as all passed, the next that did not is the one worth telling.
  const example = !isPass && pass === total ? { trialId, reason } : { trialId: told.trialId, reason: told.reason };
  return { scenario, caseId, variant, ...example, pass: pass + Number(isPass), total: total + 1 };
}

function countsOf({ pass, total, trialId, reason }: CaseCounts): CaseCounts {
  return { pass, total, trialId, reason };
}

function changeOf(a: CaseCounts | null, b: CaseCounts | null): ComparedCase['change'] {
  if (!a) return 'only-b';
  if (!b) return 'only-a';
  const difference = b.pass * a.total - a.pass * b.total;
  return difference > 0 ? 'better' : difference < 0 ? 'worse' : 'same';
}

function changedTools(before: SideOfRun, after: SideOfRun): ChangedTool[] {
  return [...before.pins].flatMap(([scenario, old]) => {
    const now = after.pins.get(scenario);
    if (!now) return [];
    return [...new Set([...Object.keys(old), ...Object.keys(now)])].flatMap((tool): ChangedTool[] => {
      if (old[tool] === now[tool]) return [];
      const change = old[tool] === undefined ? 'added' : now[tool] === undefined ? 'removed' : 'changed';
      return [{ scenario, tool, change }];
    });
  });
}
