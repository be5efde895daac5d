import type { Outcome } from '../../../domain/outcome.ts';
import type { Variant } from '../../../domain/variant.ts';
import { namedTitle, variantText } from '../../presentation/trial-text.ts';
import { outcomes, type PageSide, type RowPage } from './page-data.ts';

/** The orders of the list. */
export const sortKeys = ['plan', 'outcome', 'scenario', 'duration', 'cost', 'tokens'] as const;
export type SortKey = (typeof sortKeys)[number];

/** Which trials the list shows, and in which order; null where all are wanted. */
export interface TrialFilter {
  readonly outcome: Outcome | null;
  readonly scenario: string | null;
  readonly variant: string | null;
  /** Every word must be found. */
  readonly search: string;
  readonly sort: SortKey;
  readonly isDescending: boolean;
}

/** All trials in plan order. */
export const everything: TrialFilter = {
  outcome: null,
  scenario: null,
  variant: null,
  search: '',
  sort: 'plan',
  isDescending: false,
};

/** The rows that the filter lets through, in its order; equal ones stay in plan order. */
export function filteredRows(rows: readonly TrialRow[], filter: TrialFilter): readonly TrialRow[] {
  const words = filter.search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const found = rows.filter(
    (row) =>
      (filter.outcome === null || row.outcome === filter.outcome) &&
      (filter.scenario === null || row.scenario === filter.scenario) &&
      (filter.variant === null || row.variantName === filter.variant) &&
      words.every((word) => row.searched.includes(word)),
  );
  const compare = comparisons[filter.sort];
  const sign = filter.isDescending ? -1 : 1;
  return found.sort((a, b) => sign * compare(a, b) || a.ordinal - b.ordinal);
}

const severity: Readonly<Record<Outcome, number>> = { fail: 0, error: 1, skipped: 2, pass: 3 };

/** Figures that were not reported sort first. */
function orUnmeasured(figure: number | null): number {
  return figure ?? -1;
}

function tokensOf({ tokens }: TrialRow): number {
  return tokens === null ? -1 : tokens.input + tokens.output;
}

const comparisons: Readonly<Record<SortKey, (a: TrialRow, b: TrialRow) => number>> = {
  plan: (a, b) => a.ordinal - b.ordinal,
  outcome: (a, b) => severity[a.outcome] - severity[b.outcome],
  scenario: (a, b) => (a.title < b.title ? -1 : a.title > b.title ? 1 : 0),
  duration: (a, b) => orUnmeasured(a.durationMs) - orUnmeasured(b.durationMs),
  cost: (a, b) => orUnmeasured(a.costUsd) - orUnmeasured(b.costUsd),
  tokens: (a, b) => tokensOf(a) - tokensOf(b),
};

interface TrialTokens {
  readonly input: number;
  readonly output: number;
}

/** One trial as the list shows, filters and counts it. */
export interface TrialRow {
  readonly side: PageSide;
  readonly ordinal: number;
  readonly trialId: string;
  readonly title: string;
  readonly scenario: string;
  readonly file: string;
  readonly caseId: string;
  readonly variant: Variant;
  /** Empty for a tool that is called directly. */
  readonly variantName: string;
  readonly repeat: number;
  readonly outcome: Outcome;
  readonly reason: string;
  readonly faultCode: string;
  readonly durationMs: number | null;
  readonly costUsd: number | null;
  /** Read and written; null where they were not reported. */
  readonly tokens: TrialTokens | null;
  /** From an earlier run: not evidence. */
  readonly isReused: boolean;
  /** Everything that a search looks at, in lower case. */
  readonly searched: string;
}

/** The rows of a page with the names that they share filled in. */
export function unpackRows({
  side,
  scenarios,
  variants,
  rows,
}: Pick<RowPage, 'side' | 'scenarios' | 'variants' | 'rows'>): TrialRow[] {
  const variantNames = variants.map(variantText);
  return rows.map((packed) => {
    const [ordinal, trialId, scenarioNumber, variantNumber, caseId, repeat, outcomeNumber, reason, faultCode] = packed;
    const [durationMs, costUsd, input, output, reused] = packed.slice(9, 14) as (number | null)[];
    const [scenario, file] = scenarios[scenarioNumber] ?? ['', ''];
    const variant = variants[variantNumber] ?? {};
    const title = namedTitle({ scenario, caseId, variant, repeat }, packed[14]);
    return {
      side,
      ordinal,
      trialId,
      title,
      scenario,
      file,
      caseId,
      variant,
      variantName: variantNames[variantNumber] ?? '',
      repeat,
      outcome: outcomes[outcomeNumber] ?? 'error',
      reason,
      faultCode,
      durationMs: durationMs ?? null,
      costUsd: costUsd ?? null,
      tokens: input == null || output == null ? null : { input, output },
      isReused: reused === 1,
      searched: `${title}\n${caseId}\n${reason}\n${faultCode}\n${trialId}\n${file}`.toLowerCase(),
    };
  });
}
