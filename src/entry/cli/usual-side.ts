import { AssayError } from '../../domain/errors.ts';
import type { TrialRecord } from '../../domain/record.ts';
import type { RunHeader } from '../../domain/run.ts';
import type { Variant } from '../../domain/trial.ts';
import type { Store } from '../../keep/store/store.ts';
import { stepsOf } from '../../report/compare/trajectory/steps-of.ts';
import type { UsualSide } from '../../report/compare/trajectory/trajectory-comparison.ts';
import { UsualSteps } from '../../report/compare/trajectory/usual-steps.ts';
import { suggestion } from '../../shared/suggest.ts';

/** Which trials of a run are looked at. */
export interface ChosenTrials {
  readonly runId: string;
  readonly scenario: string;
  readonly caseId?: string | undefined;
  readonly variant?: { readonly part: keyof Variant; readonly value: string };
}

/** Traces of more trials than this tell nothing new of what is usual. */
const mostTraces = 200;
const pageSize = 200;

/** The scenario that was named, or the only one that both runs have. */
export async function scenarioOf(
  named: string | undefined,
  [runA, runB]: readonly [RunHeader, RunHeader],
  store: Store,
): Promise<string> {
  const namesIn = async ({ runId }: RunHeader) => (await store.countByScenario(runId)).map(({ scenario }) => scenario);
  const [namesA, namesB] = [await namesIn(runA), new Set(await namesIn(runB))];
  const shared = [...new Set(namesA)].filter((name) => namesB.has(name));
  if (named !== undefined && shared.includes(named)) return named;
  const [only, another] = shared;
  if (named !== undefined && only !== undefined) {
    throw new AssayError('NOT_FOUND', `There are no trials of a scenario "${named}" on both sides.`, {
      hint: suggestion(named, shared),
    });
  }
  if (only === undefined) {
    throw new AssayError('NOT_FOUND', 'There is no scenario of which both sides have trials.');
  }
  if (another === undefined) return only;
  throw new AssayError('USAGE', `There are ${shared.length} scenarios: name one with --scenario.`, {
    hint: suggestion('', shared),
  });
}

/** The variants of the chosen trials by one of their parts, in plan order. */
export async function variantValues(chosen: ChosenTrials, part: keyof Variant, store: Store): Promise<string[]> {
  const values = new Set<string>();
  for await (const { variant } of trialsOf(chosen, store)) values.add(namedPart(variant, part));
  return [...values];
}

/** Reads the chosen trials and what they usually do. */
export async function usualSide(chosen: ChosenTrials, store: Store): Promise<UsualSide> {
  const usual = new UsualSteps();
  const cases = new Set<string>();
  let [unread, passed] = [0, 0];
  for await (const record of trialsOf(chosen, store)) {
    if (usual.trials >= mostTraces) {
      unread += 1;
      continue;
    }
    cases.add(record.caseId);
    passed += record.outcome === 'pass' ? 1 : 0;
    usual.add(stepsOf((await store.readTrace(record.trialId)) ?? []));
  }
  if (usual.trials === 0) {
    const where = chosen.caseId === undefined ? chosen.scenario : `${chosen.scenario} › ${chosen.caseId}`;
    throw new AssayError('NOT_FOUND', `Run ${chosen.runId} has no such trials of "${where}".`);
  }
  const { runId, variant } = chosen;
  const label = variant ? `${variant.part} ${variant.value}` : runId;
  return { side: { label, runId, trials: usual.trials, passed }, usual, cases, unread };
}

/** The trials of a scenario lie side by side in the plan, so nothing else need be read. */
async function* trialsOf(
  { runId, scenario, caseId, variant }: ChosenTrials,
  store: Store,
): AsyncGenerator<TrialRecord> {
  const isChosen = (record: TrialRecord): boolean =>
    record.scenario === scenario &&
    (caseId === undefined || record.caseId === caseId) &&
    (variant === undefined || namedPart(record.variant, variant.part) === variant.value);
  for (const counts of await store.countByScenario(runId)) {
    if (counts.scenario !== scenario) continue;
    let after = counts.firstOrdinal - 1;
    while (after < counts.lastOrdinal) {
      const page = await store.readTrials(runId, { limit: pageSize, after });
      yield* page.filter((record) => record.ordinal <= counts.lastOrdinal && isChosen(record));
      if (page.length < pageSize) break;
      after = page.at(-1)?.ordinal ?? counts.lastOrdinal;
    }
  }
}

function namedPart(variant: Variant, part: keyof Variant): string {
  return variant[part] ?? `(no ${part})`;
}
