import { AssayError } from '../../domain/errors.ts';
import type { ExperimentPlan, ExperimentWish } from '../../domain/experiment.ts';
import type { RunRequest } from '../../domain/run.ts';
import type { Scenario } from '../../domain/scenario.ts';
import type { Variant } from '../../domain/variant.ts';
import { partName } from '../../domain/variant-text.ts';
import { plan } from '../../engine/plan.ts';
import { roundSizes } from '../../report/compare/experiment-rounds.ts';
import { armName } from '../../report/presentation/experiment-text.ts';
import { counted } from '../../shared/format.ts';
import { canonicalJson } from '../../shared/json.ts';
import { suggestion } from '../../shared/suggest.ts';

/** The question of an experiment, before it is known how many cases there are. */
interface ExperimentQuestion extends Omit<ExperimentPlan, 'rounds' | 'maxTrials'> {
  readonly maxTrials: number | null;
}

/** The question of a request, with the usual values for omitted fields. */
export function questionOf(wish: ExperimentWish, maxUsd: number | undefined): ExperimentQuestion {
  const { by, reference = null, metric = 'pass-rate', smallest = null, isHigherBetter = null, maxTrials = null } = wish;
  return { by, reference, metric, smallest, isHigherBetter, maxTrials, maxUsd: maxUsd ?? null };
}

/** A case under the parts of the variant that are not compared, with the variants that it is tried under. */
export interface PlannedCase {
  readonly arms: ReadonlySet<string>;
  /** Rounds in which one trial of each variant stands for all, because the case was settled before. */
  readonly restedIn: Set<number>;
}

/** The variants of an experiment, and the cases that the reference shares with any of them. */
export interface ExperimentArms {
  readonly reference: string;
  /** In the order of the files. */
  readonly arms: readonly string[];
  readonly cases: ReadonlyMap<string, PlannedCase>;
  /** Cases that cannot be compared, because the reference or all other variants lack them. */
  readonly leftOut: number;
}

/** Repeats of each case where nothing limits them. */
const usualRepeats = 10;
const mostRepeats = 1_000;

/** Fixes how many trials there may be, and when they are looked at, before the first of them runs. */
export async function planExperiment(
  question: ExperimentQuestion,
  scenarios: readonly Scenario[],
): Promise<{ readonly plan: ExperimentPlan; readonly leftOut: number }> {
  const { cases, leftOut } = await findArms(question, scenarios);
  let ofOneRepeat = 0;
  for (const { arms } of cases.values()) ofOneRepeat += arms.size;
  const maxTrials = question.maxTrials ?? usualRepeats * ofOneRepeat;
  const repeats = Math.min(mostRepeats, Math.floor(maxTrials / ofOneRepeat));
  if (repeats < 1) {
    throw new AssayError(
      'USAGE',
      `One round has ${counted(ofOneRepeat, 'trial')}, more than the limit of ${maxTrials}.`,
      {
        hint: `Set the limit (\`--max-trials\`) to ${ofOneRepeat} or more, or choose fewer cases with --tags or --scenario.`,
      },
    );
  }
  return { plan: { ...question, rounds: roundSizes(repeats), maxTrials }, leftOut };
}

/** The scenarios with as many repeats as the rounds have in all. */
export function withRounds(scenarios: readonly Scenario[], { experiment }: RunRequest): readonly Scenario[] {
  if (!experiment) return scenarios;
  const repeat = experiment.rounds.reduce((sum, size) => sum + size, 0);
  return scenarios.map((scenario) => ({ ...scenario, repeat }));
}

export function armOf(variant: Variant, by: keyof Variant): string {
  return variant[by] ?? '';
}

export function caseKey(scenario: string, caseId: string, variant: Variant, by: keyof Variant): string {
  return canonicalJson([scenario, caseId, { ...variant, [by]: undefined }]);
}

/** Refuses variants that have nothing in common. */
export async function findArms(
  { by, reference: wanted }: Pick<ExperimentPlan, 'by' | 'reference'>,
  scenarios: readonly Scenario[],
): Promise<ExperimentArms> {
  const found = new Map<string, Set<string>>();
  const tried = new Set<string>();
  const once = scenarios.map((scenario) => ({ ...scenario, repeat: 1 }));
  for await (const { scenario, case: testCase, variant } of plan('', once)) {
    const key = caseKey(scenario.name, testCase.caseId, variant, by);
    const own = found.get(key) ?? new Set();
    found.set(key, own);
    own.add(armOf(variant, by));
    tried.add(armOf(variant, by));
  }
  // As the scenarios declare them: trials come in an order by chance.
  const declared = scenarios.flatMap(({ variants }) => variants.map((variant) => armOf(variant, by)));
  const names = new Set(declared.filter((name) => tried.has(name)));
  const comparable = new Set([...found.values()].flatMap((own) => (own.size > 1 ? [...own] : [])));
  const reference = referenceOf(wanted, [...names], comparable, by);
  const shared = [...found].filter(([, own]) => own.size > 1 && own.has(reference));
  if (shared.length === 0) {
    throw new AssayError('USAGE', `No case is tried under "${armName(reference)}" and under another ${by}.`, {
      hint: 'Give both the same cases: variants are compared case by case.',
    });
  }
  const cases = new Map(shared.map(([key, own]) => [key, { arms: own, restedIn: new Set<number>() }]));
  // Scenarios without the part that is compared are not a variant.
  const arms = [...names].filter((name) => name !== '' || comparable.has(name));
  return { reference, arms, cases, leftOut: found.size - shared.length };
}

/** By default the first variant that shares a case with another. */
function referenceOf(
  wanted: string | null,
  arms: readonly string[],
  comparable: ReadonlySet<string>,
  by: keyof Variant,
): string {
  const first = arms.find((arm) => comparable.has(arm)) ?? arms[0];
  if (arms.length < 2 || first === undefined) {
    throw new AssayError(
      'USAGE',
      `The scenarios have only one variant by ${partName(by)}, so nothing can be compared.`,
      {
        hint: 'Give them two or more, or compare another part (`--by`).',
      },
    );
  }
  if (wanted === null) return first;
  if (arms.includes(wanted)) return wanted;
  throw new AssayError('NOT_FOUND', `There is no ${by} "${wanted}".`, { hint: suggestion(wanted, arms) });
}
