import type { Outcome } from '../../../domain/outcome.ts';
import type { Variant } from '../../../domain/variant.ts';
import { canonicalJson } from '../../../shared/json.ts';
import { type FigureCondition, fulfils } from './figure-condition.ts';
import type { GridTrial } from './grid-figures.ts';
import type { ListedTrial } from './listed-trial.ts';

/** Which cases are listed; undefined where all are. */
export interface GridConditions {
  readonly outcomes?: readonly Outcome[] | undefined;
  readonly scenario?: string | undefined;
  readonly variant?: Variant | undefined;
  /** Metadata as `name=value`; a name alone: any value. */
  readonly where?: string | undefined;
  /** Only cases that some variants pass more often than others. */
  readonly differs?: boolean | undefined;
  readonly figure?: FigureCondition | undefined;
  /** Whether a text of a trial has what is looked for. */
  readonly holds?: ((text: string) => boolean) | undefined;
}

/** Conditions as functions of trials and cases. */
export interface GridFilter {
  /** Of the trials that are left, the rest is decided by case. */
  keeps(trial: ListedTrial): boolean;
  matches<Trial extends ListedTrial>(trials: readonly Trial[], resultsOf: (trial: Trial) => GridTrial): boolean;
}

/** Variants are compared as texts, which lists of large runs keep. */
export function gridFilter(
  conditions: GridConditions,
  keyOf: (variant: Variant) => string = canonicalJson,
): GridFilter {
  const { outcomes, scenario, variant, where, differs, figure, holds } = conditions;
  const wanted = variant && keyOf(variant);
  return {
    keeps: (trial) =>
      (scenario === undefined || trial.scenario === scenario) &&
      (wanted === undefined || keyOf(trial.variant) === wanted),
    matches: (trials, resultsOf) =>
      (!outcomes || trials.some(({ outcome }) => outcomes.includes(outcome))) &&
      (!differs || doVariantsDiffer(trials, keyOf)) &&
      (!figure || fulfils(figure, trials, resultsOf)) &&
      (where === undefined || trials.some((trial) => hasMetadata(trial, where))) &&
      (!holds || trials.some((trial) => textsOf(trial).some(holds))),
  };
}

/** Whether a text has another one in it, whatever the case of its letters. */
export function holdsText(wanted: string): (text: string) => boolean {
  const lower = wanted.toLowerCase();
  return (text) => text.toLowerCase().includes(lower);
}

function textsOf({ scenario, caseId, reason, trialId, excerpt }: ListedTrial): string[] {
  const { input, expected, expectedBehavior, answer } = excerpt ?? {};
  return [scenario, caseId, reason, trialId, input, expected, expectedBehavior, answer].filter(
    (text) => text !== undefined,
  );
}

function hasMetadata({ excerpt }: ListedTrial, where: string): boolean {
  const [, name = '', value] = /^([^=]*)(?:=(.*))?$/s.exec(where) ?? [];
  const found = excerpt?.metadata?.[name.trim()];
  return found !== undefined && (value === undefined || found === value.trim());
}

/** Whether variants pass a case at different rates; those without a judged trial say nothing. */
function doVariantsDiffer(trials: readonly ListedTrial[], keyOf: (variant: Variant) => string): boolean {
  const tallies = new Map<string, { pass: number; judged: number }>();
  for (const { variant, outcome } of trials) {
    const key = keyOf(variant);
    const { pass, judged } = tallies.get(key) ?? { pass: 0, judged: 0 };
    const isJudged = outcome === 'pass' || outcome === 'fail';
    tallies.set(key, { pass: pass + Number(outcome === 'pass'), judged: judged + Number(isJudged) });
  }
  const rated = [...tallies.values()].filter(({ judged }) => judged > 0);
  return rated.some(({ pass, judged }) => pass * (rated[0]?.judged ?? 1) !== (rated[0]?.pass ?? 0) * judged);
}
