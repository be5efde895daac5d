import type { Outcome } from '../../../src/domain/outcome.ts';
import type { Grid } from '../../../src/entry/server/api/grid.ts';
import type { TrialItem, TrialList } from '../../../src/entry/server/api/runs.ts';
import { caseKeyOf } from '../../../src/report/compare/case-key.ts';
import { readFigureCondition } from '../../../src/report/compare/grid/figure-condition.ts';
import { type GridConditions, gridFilter, holdsText } from '../../../src/report/compare/grid/grid-filter.ts';
import { gridColumns, gridRow } from '../../../src/report/compare/grid/grid-row.ts';
import { inOrder, sortFigure } from '../../../src/report/compare/grid/sort-figure.ts';
import type { ReportedTrial } from '../../../src/report/presentation/packed-trials.ts';
import type { ReportDocument } from '../../../src/report/reporters/html/report-document.ts';
import { groupedBy } from '../../../src/shared/grouped-by.ts';

type Query = URLSearchParams;

/** The part of a report that lists are made of. */
interface ListedData {
  readonly document: ReportDocument;
  readonly trials: readonly ReportedTrial[];
}

/** The part of a query that filters trials and cases alike. */
function conditionsIn(query: Query): GridConditions & { readonly text: string } {
  const [outcomes, variant, text] = [query.get('outcome'), query.get('variant'), query.get('text') ?? ''];
  return {
    outcomes: outcomes === null ? undefined : (outcomes.split(',') as Outcome[]),
    scenario: query.get('scenario') ?? undefined,
    variant: variant === null ? undefined : JSON.parse(variant),
    where: query.get('where') ?? undefined,
    differs: query.get('differs') === 'true',
    figure: readFigureCondition(query.get('figure') ?? ''),
    holds: text === '' ? undefined : holdsText(text),
    text,
  };
}

/** The items of a page, and the cursor of the next one. */
function pageIn<Item>(items: readonly Item[], query: Query): { readonly page: readonly Item[]; next: string | null } {
  const from = Number(query.get('cursor') ?? 0);
  const end = from + Number(query.get('limit') ?? items.length);
  return { page: items.slice(from, end), next: end < items.length ? String(end) : null };
}

/** The cases of the run under a filter. */
export function caseList({ trials, document }: ListedData, query: Query): Grid {
  const { text, ...conditions } = conditionsIn(query);
  const { keeps, matches } = gridFilter(conditions);
  const [sort, direction] = [query.get('sort') ?? 'plan', query.get('direction') === 'desc' ? 'desc' : 'asc'] as const;
  const kept = trials.filter(keeps);
  const cases = [...groupedBy(kept, caseKeyOf).values()]
    .filter((ofCase) => matches(ofCase, (trial) => trial))
    .map((ofCase) => ({ trials: ofCase, figure: sortFigure(sort, ofCase, (trial) => trial) }));
  const { page, next } = pageIn(inOrder(cases, { sort, direction }), query);
  const items = page.map((one) => gridRow(one.trials, { resultsOf: (trial) => trial }));
  return {
    items,
    next,
    total: cases.length,
    cases: document.run.header.scenarios.reduce((sum, { caseCount }) => sum + caseCount, 0),
    unsearched: text === '' ? 0 : kept.filter(({ excerpt }) => !excerpt).length,
    columns: gridColumns(items),
  };
}

const figures: Readonly<Record<string, (trial: ReportedTrial) => number | null>> = {
  started: ({ startedAt }) => startedAt,
  duration: ({ durationMs }) => durationMs,
  cost: ({ costUsd }) => costUsd,
};

/** The trials of the run under a filter. */
export function trialList({ trials, document }: ListedData, query: Query): TrialList {
  const { outcomes, holds, ...conditions } = conditionsIn(query);
  const { keeps } = gridFilter(conditions);
  const cluster = query.get('cluster');
  const members = cluster === null ? undefined : new Set(new Map(document.members).get(cluster));
  const found = trials.filter(
    (trial) =>
      keeps(trial) &&
      (outcomes?.includes(trial.outcome) ?? true) &&
      (members?.has(trial.trialId) ?? true) &&
      (!holds || searchedTexts(trial).some(holds)),
  );
  const figureOf = figures[query.get('order') ?? ''];
  const direction = query.get('direction') === 'desc' ? 'desc' : 'asc';
  const placed = found.map((trial) => ({ trial, figure: figureOf?.(trial) ?? null }));
  const { page, next } = pageIn(inOrder(placed, { sort: figureOf ? 'figure' : 'plan', direction }), query);
  return {
    items: page.map(({ trial }) => itemOf(trial, document.run.runId)),
    next,
    total: found.length,
    trials: trials.length,
  };
}

function searchedTexts({ scenario, caseId, reason, trialId, variant }: ReportedTrial): string[] {
  const parts = Object.values(variant).filter((part) => part !== undefined);
  return [scenario, caseId, reason, trialId, ...parts];
}

function itemOf(trial: ReportedTrial, runId: string): TrialItem {
  const { trialId, ordinal, scenario, file, caseId, variant, repeat, outcome, reason, startedAt } = trial;
  const { durationMs, costUsd, faultCode, inputTokens, outputTokens, input, marks } = trial;
  return {
    ...{ trialId, runId, ordinal, scenario, file, caseId, variant, repeat, outcome, reason, startedAt },
    ...{ durationMs, costUsd, faultCode, inputTokens, outputTokens, input, marks },
  };
}
