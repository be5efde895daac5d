import { type Mark, type MarkedTrial, marksOf } from '../../../domain/marks.ts';
import type { Outcome } from '../../../domain/outcome.ts';
import type { Variant } from '../../../domain/variant.ts';
import { groupedBy } from '../../../shared/grouped-by.ts';
import { canonicalJson } from '../../../shared/json.ts';
import { shorten } from '../../../shared/text.ts';
import { exampleOf, figuresOf, type GridTrial, verdictsOf, wholeMean } from './grid-figures.ts';
import { type ListedTrial, shortReason } from './listed-trial.ts';

/** The label that a rater gave a trial. */
interface GivenLabel {
  readonly label: 'pass' | 'fail';
  readonly note?: string | undefined;
}

/** The parts of a row that are not in the trials themselves. */
interface RowParts<Trial> {
  resultsOf(trial: Trial): GridTrial;
  labelOf?(trialId: string): GivenLabel | undefined;
}

/** A case under one variant. */
interface GridArm {
  variant: Variant;
  trials: {
    trialId: string;
    repeat: number;
    outcome: Outcome;
    marks: Mark[];
    label: 'pass' | 'fail' | null;
    note: string | null;
  }[];
  answer: string | null;
  reason: string;
  trialId: string;
  evaluators: ReturnType<typeof verdictsOf>;
  metrics: ReturnType<typeof figuresOf>;
  durationMs: number | null;
  costUsd: number | null;
}

/** One case of a run: its texts, and its trials by variant. */
export interface GridRow {
  scenario: string;
  file: string;
  caseId: string;
  input: string | null;
  expected: string | null;
  metadata: Record<string, string>;
  arms: GridArm[];
}

const longestText = 500;

/** The row of a case of these trials, of which there is at least one. */
export function gridRow<Trial extends ListedTrial & MarkedTrial>(
  trials: readonly Trial[],
  parts: RowParts<Trial>,
): GridRow {
  const byVariant = groupedBy(trials, ({ variant }) => canonicalJson(variant));
  const arms = [...byVariant.values()].map((ofVariant) => armOf(ofVariant, parts));
  const examples = [...byVariant.values()].map(exampleOf);
  const [first] = trials;
  const { scenario = '', file = '', caseId = '', excerpt } = first ?? {};
  const expected = excerpt?.expected ?? excerpt?.expectedBehavior;
  return {
    scenario,
    file,
    caseId,
    input: examples.find((example) => example.excerpt?.input !== undefined)?.excerpt?.input ?? null,
    expected: expected === undefined ? null : shorten(expected, longestText),
    metadata: { ...excerpt?.metadata },
    arms,
  };
}

function armOf<Trial extends ListedTrial & MarkedTrial>(
  trials: readonly Trial[],
  { resultsOf, labelOf }: RowParts<Trial>,
): GridArm {
  const example = exampleOf(trials);
  const results = trials.map(resultsOf);
  return {
    variant: example.variant,
    trials: trials.map((trial) => {
      const { trialId, repeat, outcome } = trial;
      const given = labelOf?.(trialId);
      const marks = [...marksOf(trial)];
      return { trialId, repeat, outcome, marks, label: given?.label ?? null, note: given?.note ?? null };
    }),
    answer: example.excerpt?.answer ?? null,
    reason: shortReason(example.reason),
    trialId: example.trialId,
    evaluators: verdictsOf(results),
    metrics: figuresOf(results),
    durationMs: wholeMean(trials.map(({ durationMs }) => durationMs)),
    costUsd: wholeMean(trials.map(({ costUsd }) => costUsd)),
  };
}

/** Names of the evaluators, metrics and metadata that occur in rows. */
export function gridColumns(rows: readonly GridRow[]): { evaluators: string[]; metrics: string[]; metadata: string[] } {
  const arms = rows.flatMap(({ arms: each }) => each);
  const names = (records: readonly object[]): string[] => [...new Set(records.flatMap((each) => Object.keys(each)))];
  return {
    evaluators: names(arms.map(({ evaluators }) => evaluators)),
    metrics: names(arms.map(({ metrics }) => metrics)),
    metadata: names(rows.map(({ metadata }) => metadata)),
  };
}
