import type * as z from 'zod';
import type { TrialRecord } from '../../../domain/record.ts';
import { canonicalJson } from '../../../shared/json.ts';
import { compileTextPattern, UnusablePattern } from '../../../shared/patterns.ts';
import type { gridQuery } from '../api/grid.ts';
import { Refusal } from '../refusal.ts';
import { outcomesIn, variantIn } from '../runs/trial-filters.ts';

export type GridQuery = z.output<typeof gridQuery>;

/** The part of the query that decides which cases are listed in which order. */
export type GridSelection = Omit<GridQuery, 'limit' | 'cursor' | 'rater'>;

/** A query as functions of trials and cases. */
export interface GridFilter {
  /** Of the trials that are left, the rest is decided by case. */
  keeps(record: TrialRecord): boolean;
  matches(trials: readonly TrialRecord[]): boolean;
}

/** Reads the filters of a query; refuses what cannot be read. */
export function gridFilter(query: GridSelection): GridFilter {
  const { scenario, text = '', where, differs } = query;
  const outcomes = outcomesIn(query.outcome);
  const wanted = variantIn(query.variant);
  const variant = wanted && canonicalJson(wanted);
  const holds = textTest(text, query.regex);
  return {
    keeps: (record) =>
      (scenario === undefined || record.scenario === scenario) &&
      (variant === undefined || canonicalJson(record.variant) === variant),
    matches: (trials) =>
      (!outcomes || trials.some(({ outcome }) => outcomes.includes(outcome))) &&
      (!differs || doVariantsDiffer(trials)) &&
      (where === undefined || trials.some((record) => hasMetadata(record, where))) &&
      (!holds || trials.some((record) => textsOf(record).some(holds))),
  };
}

function textTest(text: string, isPattern: boolean): ((text: string) => boolean) | undefined {
  if (text === '') return undefined;
  if (!isPattern) {
    const wanted = text.toLowerCase();
    return (searched) => searched.toLowerCase().includes(wanted);
  }
  try {
    const pattern = compileTextPattern(text);
    return (searched) => pattern.occursIn(searched);
  } catch (error) {
    if (!(error instanceof UnusablePattern)) throw error;
    throw new Refusal(400, 'REQUEST_INVALID', `The regular expression cannot be used: ${error.message}.`, {
      hint: 'Write it in the syntax of RE2, such as ^err(or)?.',
    });
  }
}

function textsOf({ scenario, caseId, reason, trialId, excerpt }: TrialRecord): string[] {
  const { input, expected, expectedBehavior, answer } = excerpt ?? {};
  return [scenario, caseId, reason, trialId, input, expected, expectedBehavior, answer].filter(
    (text) => text !== undefined,
  );
}

function hasMetadata({ excerpt }: TrialRecord, where: string): boolean {
  const [, name = '', value] = /^([^=]*)(?:=(.*))?$/s.exec(where) ?? [];
  const found = excerpt?.metadata?.[name.trim()];
  return found !== undefined && (value === undefined || found === value.trim());
}

/** Whether variants pass a case at different rates; those without a judged trial say nothing. */
function doVariantsDiffer(trials: readonly TrialRecord[]): boolean {
  const tallies = new Map<string, { pass: number; judged: number }>();
  for (const { variant, outcome } of trials) {
    const key = canonicalJson(variant);
    const { pass, judged } = tallies.get(key) ?? { pass: 0, judged: 0 };
    const isJudged = outcome === 'pass' || outcome === 'fail';
    tallies.set(key, { pass: pass + Number(outcome === 'pass'), judged: judged + Number(isJudged) });
  }
  const rated = [...tallies.values()].filter(({ judged }) => judged > 0);
  return rated.some(({ pass, judged }) => pass * (rated[0]?.judged ?? 1) !== (rated[0]?.pass ?? 0) * judged);
}
