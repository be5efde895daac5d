import { AssayError } from '../../domain/errors.ts';
import type { ExperimentOutline, OpenQuestion } from '../../domain/experiment.ts';
import type { Scenario } from '../../domain/scenario.ts';
import { type Variant, variantParts } from '../../domain/variant.ts';
import { plan } from '../../engine/plan.ts';
import { armOf, findArms, planExperiment, questionOf } from './plan-experiment.ts';

/** Plans an experiment on these scenarios without running anything. */
export async function outlineExperiment(
  wish: OpenQuestion,
  scenarios: readonly Scenario[],
): Promise<ExperimentOutline> {
  const parts = await partsOf(scenarios);
  const { by } = wish;
  if (by === undefined) return { parts, plan: null, problem: null };
  try {
    const { plan: planned, leftOut } = await planExperiment(questionOf({ ...wish, by }, undefined), scenarios);
    const { reference, cases } = await findArms(planned, scenarios);
    const [first = 0] = planned.rounds;
    const ofOneRepeat = [...cases.values()].reduce((sum, { arms }) => sum + arms.size, 0);
    const { rounds, maxTrials } = planned;
    const outlined = { reference, cases: cases.size, leftOut, rounds, firstRound: first * ofOneRepeat, maxTrials };
    return { parts, plan: outlined, problem: null };
  } catch (error) {
    if (!(error instanceof AssayError)) throw error;
    return { parts, plan: null, problem: { message: error.message, hint: error.hint ?? null } };
  }
}

async function partsOf(scenarios: readonly Scenario[]): Promise<ExperimentOutline['parts']> {
  const found = new Map<keyof Variant, Set<string>>(variantParts.map((part) => [part, new Set()]));
  const once = scenarios.map((scenario) => ({ ...scenario, repeat: 1 }));
  for await (const { variant } of plan('', once)) {
    for (const [part, names] of found) names.add(armOf(variant, part));
  }
  return [...found]
    .filter(([, names]) => [...names].some((name) => name !== ''))
    .map(([part, names]) => ({ part, variants: [...names] }));
}
