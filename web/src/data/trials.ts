import type { TrialRecord } from '../../../src/domain/record.ts';
import type { TrialList } from '../../../src/entry/server/api/runs.ts';
import type {
  Judging,
  Rerun,
  SuggestedSides,
  TracePage,
  TraceSearch,
  TrialDetail,
  WholeEvent,
} from '../../../src/entry/server/api/trials.ts';
import type { Comparison } from '../../../src/report/compare/comparison.ts';
import type { TrialsDiff } from '../../../src/report/compare/trajectory/trajectory-comparison.ts';
import type { VariantTable } from '../../../src/report/compare/variants/variant-table.ts';
import { apiUrl } from './api.ts';
import { runAddress } from './queries.ts';
import { read } from './read.ts';

/** A finished trial does not change. */
const never = { staleTime: Number.POSITIVE_INFINITY, refetchOnWindowFocus: false, structuralSharing: false };

/** One trial with all but its trace. */
export const trialQuery = (trialId: string) => read<TrialDetail>(['trial', trialId], trialAddress(trialId));

/** The input of the trial's case as the files have it. */
export const rerunQuery = (trialId: string) =>
  read<Rerun>(
    ['trial', trialId, 'rerun'],
    `${trialAddress(trialId)}/rerun`,
    {},
    { staleTime: 0, refetchOnWindowFocus: false },
  );

/** The trials of a run that are of the same case, and others whose case has a name like it; as far as they are few. */
export const sameCaseQuery = ({ runId, scenario, file, caseId }: TrialRecord) =>
  read<TrialList>(['run', runId, 'same-case', scenario, file, caseId], `${runAddress(runId)}/trials`, {
    scenario,
    text: caseId.slice(0, 200),
    limit: 200,
  });

/** A page of neighbouring events. */
export const tracePageQuery = (trialId: string, page: number, pageSize: number) =>
  read<TracePage>(
    ['trial', trialId, 'trace', 'page', page, pageSize],
    `${trialAddress(trialId)}/trace`,
    { from: page * pageSize, limit: pageSize },
    never,
  );

/** The places of the events that hold a text, or that are of a type. */
export const traceSearchQuery = (trialId: string, what: { readonly text: string } | { readonly type: string }) =>
  read<TraceSearch>(['trial', trialId, 'trace', what], `${trialAddress(trialId)}/trace/search`, what, {
    enabled: !('text' in what) || what.text !== '',
    ...never,
  });

/** One event with its texts uncut. */
export const wholeEventQuery = (trialId: string, index: number) =>
  read<WholeEvent>(['trial', trialId, 'trace', 'event', index], `${trialAddress(trialId)}/trace/${index}`, {}, never);

/** Where a file that the trial left behind can be downloaded. */
export function artifactUrl(trialId: string, path: string): string {
  return apiUrl(`${trialAddress(trialId)}/artifacts/${path.split('/').map(encodeURIComponent).join('/')}`);
}

export function trialAddress(trialId: string): string {
  return `/trials/${encodeURIComponent(trialId)}`;
}

/** Which two sides are compared: two runs, or two variants of one. */
export interface ComparisonRequest {
  readonly a: string;
  readonly b?: string | undefined;
  readonly by?: string | undefined;
  readonly valueA?: string | undefined;
  readonly valueB?: string | undefined;
  readonly force?: boolean | undefined;
}

/** Two sides next to each other. */
export const comparisonQuery = (request: ComparisonRequest) =>
  read<Comparison>(['comparison', request], '/compare', { ...request });

/** The sides that a comparison starts with: a run, by default the newest, and the one before it. */
export const suggestedSidesQuery = (b: string | undefined) =>
  read<SuggestedSides>(['comparison', 'suggestion', b ?? null], '/compare/suggestion', { b }, { staleTime: 0 });

/** Several runs in one table; all others are compared with the first. */
export const severalRunsQuery = (runs: readonly string[]) =>
  read<VariantTable>(['comparison', 'several', runs], '/compare/runs', { runs: runs.join(',') });

/** How far a judge is with the answers of two sides, or of all variants. */
export const judgingQuery = (request: ComparisonRequest) =>
  read<Judging>(
    ['judging', request],
    '/compare/judge',
    { ...request },
    { refetchInterval: ({ state }) => (state.data?.state === 'running' ? 1_000 : false) },
  );

/** All variants of one run. */
export const variantsQuery = (run: string, by: string) =>
  read<VariantTable>(['variants', run, by], '/variants', { run, by });

/** The steps of two trials next to each other. */
export const trialsDiffQuery = (a: string, b: string) =>
  read<TrialsDiff>(['diff', a, b], '/diff', { a, b }, { staleTime: Number.POSITIVE_INFINITY });
