import { queryOptions } from '@tanstack/react-query';
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
import { api, apiUrl } from './api.ts';

/** A finished trial does not change. */
const never = { staleTime: Number.POSITIVE_INFINITY, refetchOnWindowFocus: false, structuralSharing: false };

/** One trial with all but its trace. */
export function trialQuery(trialId: string) {
  return queryOptions({
    queryKey: ['trial', trialId],
    queryFn: ({ signal }) => api.get<TrialDetail>(trialAddress(trialId), {}, signal),
  });
}

/** The input of the trial's case as the files have it. */
export function rerunQuery(trialId: string) {
  return queryOptions({
    queryKey: ['trial', trialId, 'rerun'],
    queryFn: ({ signal }) => api.get<Rerun>(`${trialAddress(trialId)}/rerun`, {}, signal),
    staleTime: 0,
    refetchOnWindowFocus: false,
  });
}

/** The trials of a run that are of the same case, as far as they are few. */
export function sameCaseQuery({ runId, scenario, file, caseId }: TrialRecord) {
  return queryOptions({
    queryKey: ['run', runId, 'same-case', scenario, file, caseId],
    queryFn: async ({ signal }) => {
      const query = { scenario, text: caseId.slice(0, 200), limit: 200 };
      const { items } = await api.get<TrialList>(`/runs/${encodeURIComponent(runId)}/trials`, query, signal);
      return items.filter((item) => item.caseId === caseId && item.file === file).slice(0, mostSiblings);
    },
  });
}

const mostSiblings = 40;

/** A page of neighbouring events. */
export function tracePageQuery(trialId: string, page: number, pageSize: number) {
  return queryOptions({
    queryKey: ['trial', trialId, 'trace', 'page', page, pageSize],
    queryFn: ({ signal }) =>
      api.get<TracePage>(`${trialAddress(trialId)}/trace`, { from: page * pageSize, limit: pageSize }, signal),
    ...never,
  });
}

/** The places of the events that hold a text. */
export function traceTextQuery(trialId: string, text: string) {
  return queryOptions({
    queryKey: ['trial', trialId, 'trace', 'text', text],
    queryFn: ({ signal }) => api.get<TraceSearch>(`${trialAddress(trialId)}/trace/search`, { text }, signal),
    enabled: text !== '',
    ...never,
  });
}

/** The places of the events of a type. */
export function traceTypeQuery(trialId: string, type: string) {
  return queryOptions({
    queryKey: ['trial', trialId, 'trace', 'type', type],
    queryFn: ({ signal }) => api.get<TraceSearch>(`${trialAddress(trialId)}/trace/search`, { type }, signal),
    ...never,
  });
}

/** One event with its texts uncut. */
export function wholeEventQuery(trialId: string, index: number) {
  return queryOptions({
    queryKey: ['trial', trialId, 'trace', 'event', index],
    queryFn: ({ signal }) => api.get<WholeEvent>(`${trialAddress(trialId)}/trace/${index}`, {}, signal),
    ...never,
  });
}

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
export function comparisonQuery(request: ComparisonRequest) {
  return queryOptions({
    queryKey: ['comparison', request],
    queryFn: ({ signal }) => api.get<Comparison>('/compare', { ...request }, signal),
  });
}

/** The sides that a comparison starts with: a run, by default the newest, and the one before it. */
export function suggestedSidesQuery(b: string | undefined) {
  return queryOptions({
    queryKey: ['comparison', 'suggestion', b ?? null],
    queryFn: ({ signal }) => api.get<SuggestedSides>('/compare/suggestion', { b }, signal),
    staleTime: 0,
  });
}

/** Several runs in one table; all others are compared with the first. */
export function severalRunsQuery(runs: readonly string[]) {
  return queryOptions({
    queryKey: ['comparison', 'several', runs],
    queryFn: ({ signal }) => api.get<VariantTable>('/compare/runs', { runs: runs.join(',') }, signal),
  });
}

/** How far a judge is with the answers of two sides, or of all variants. */
export function judgingQuery(request: ComparisonRequest) {
  return queryOptions({
    queryKey: ['judging', request],
    queryFn: ({ signal }) => api.get<Judging>('/compare/judge', { ...request }, signal),
    refetchInterval: ({ state }) => (state.data?.state === 'running' ? 1_000 : false),
  });
}

/** All variants of one run. */
export function variantsQuery(run: string, by: string) {
  return queryOptions({
    queryKey: ['variants', run, by],
    queryFn: ({ signal }) => api.get<VariantTable>('/variants', { run, by }, signal),
  });
}

/** The steps of two trials next to each other. */
export function trialsDiffQuery(a: string, b: string) {
  return queryOptions({
    queryKey: ['diff', a, b],
    queryFn: ({ signal }) => api.get<TrialsDiff>('/diff', { a, b }, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
}
