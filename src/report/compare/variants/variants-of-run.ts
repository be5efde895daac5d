import type { TrialRecord } from '../../../domain/record.ts';
import type { RunHeader } from '../../../domain/run.ts';
import type { Variant } from '../../../domain/variant.ts';
import { eachTrial, type Store } from '../../../keep/store/store.ts';
import { canonicalJson } from '../../../shared/json.ts';
import type { CollectedSide } from '../collected-side.ts';
import { lastLooks, placeInPlan } from '../experiment-rounds.ts';
import { collectSidesBy, labelOfValue, type SideSource } from '../side-collector.ts';
import { storedSource } from '../stored-source.ts';
import { compareVariants, type VariantChoice } from './compare-variants.ts';
import type { ComparedBy, VariantTable } from './variant-table.ts';

/** The variants of a stored run, in the order of its trials; those of an experiment as the experiment counts them. */
export async function sidesOfRun(run: RunHeader, store: Store, by: keyof Variant): Promise<CollectedSide[]> {
  const source: SideSource = storedSource(run, store);
  const countOf = isExperimentBy(run, by) ? await countsOfTrials(run, store) : undefined;
  return [...(await collectSidesBy(source, by, countOf)).values()];
}

/** The table of variants that were collected; those of an experiment by the same part have its own answers. */
export function tableOfSides(
  sides: readonly CollectedSide[],
  run: RunHeader | undefined,
  choice: Omit<VariantChoice, 'experiment'>,
): VariantTable {
  const experiment = run && experimentOf(run, choice);
  const reference =
    choice.reference ?? (experiment && run?.experiment && labelOfValue(run.experiment.reference, choice.by));
  return compareVariants(sides, { ...choice, reference, experiment });
}

/** The table of an experiment, which is part of its report; null for other runs. */
export async function experimentTable(run: RunHeader, store: Store): Promise<VariantTable | null> {
  const by = run.request.experiment?.by;
  if (by === undefined || !run.experiment || run.experiment.looks.length === 0) return null;
  const sides = await sidesOfRun(run, store, by);
  return sides.length < 2 ? null : tableOfSides(sides, run, { by });
}

/** Whether the variants are those of an experiment: its trials do not all count the same. */
export function isExperimentBy({ experiment, request }: RunHeader, by: ComparedBy): boolean {
  return experiment != null && request.experiment?.by === by;
}

/** Undefined where the question is another one: then its looks say nothing about the answers. */
function experimentOf(run: RunHeader, { by, reference, only }: Omit<VariantChoice, 'experiment'>) {
  const { experiment, request } = run;
  const look = experiment?.looks.at(-1);
  if (!experiment || !request.experiment || !look || !isExperimentBy(run, by)) return undefined;
  const { metric } = request.experiment;
  const isOther = reference !== undefined && reference !== labelOfValue(experiment.reference, by);
  if (isOther || (only && only[0] !== metric)) return undefined;
  return { level: look.level, metric, arms: new Map(lastLooks(experiment).map((arm) => [arm.arm, arm])) };
}

/** How many trials each stands for: one of a settled case stands for all of its round. */
async function countsOfTrials(run: RunHeader, store: Store): Promise<(record: TrialRecord) => number> {
  const rounds = run.request.experiment?.rounds ?? [];
  const complete = run.experiment?.looks.length ?? 0;
  const roundOf = ({ repeat }: TrialRecord): number => placeInPlan(repeat, rounds).round;
  const keyOf = (record: TrialRecord): string =>
    canonicalJson([record.scenario, record.caseId, record.variant, roundOf(record)]);
  const trials = new Map<string, number>();
  for await (const record of eachTrial(store, run.runId)) {
    const key = keyOf(record);
    trials.set(key, (trials.get(key) ?? 0) + 1);
  }
  return (record) => {
    const round = roundOf(record);
    return round < complete && trials.get(keyOf(record)) === 1 ? (rounds[round] ?? 1) : 1;
  };
}
