import { queryOptions, useQuery } from '@tanstack/react-query';
import type {
  ConnectorType,
  EvaluatorType,
  FileCheck,
  FileKind,
  NamedParts,
  ProjectFile,
  RubricList,
  ScenarioFormats,
  ScenarioList,
  Settings,
} from '../../../src/entry/server/api/project.ts';
import type { ScenarioStats } from '../../../src/entry/server/api/stats.ts';
import { api } from './api.ts';

/** Data of the program itself changes only when it is restarted. */
const fixedMs = 600_000;

/** Every scenario of the project, and the files that cannot be read. */
export function scenarioListQuery() {
  return queryOptions({
    queryKey: ['scenarios'],
    queryFn: ({ signal }) => api.get<ScenarioList>('/scenarios', {}, signal),
  });
}

/** Figures of a scenario in its last runs. */
export function scenarioStatsQuery(scenario: string) {
  return queryOptions({
    queryKey: ['scenario-stats', scenario],
    queryFn: ({ signal }) => api.get<ScenarioStats>('/scenario-stats', { scenario }, signal),
    staleTime: 0,
  });
}

/** The schemas behind the forms for scenario files. */
export function scenarioFormatsQuery() {
  return queryOptions({
    queryKey: ['scenario-formats'],
    queryFn: ({ signal }) => api.get<ScenarioFormats>('/scenario-formats', {}, signal),
    staleTime: fixedMs,
  });
}

/** Every evaluator that scenarios can use. */
export function evaluatorTypesQuery() {
  return queryOptions({
    queryKey: ['evaluator-types'],
    queryFn: ({ signal }) => api.get<readonly EvaluatorType[]>('/evaluator-types', {}, signal),
    staleTime: fixedMs,
  });
}

/** Every kind of connector. */
export function connectorTypesQuery() {
  return queryOptions({
    queryKey: ['connector-types'],
    queryFn: ({ signal }) => api.get<readonly ConnectorType[]>('/connector-types', {}, signal),
    staleTime: fixedMs,
  });
}

/** Parts of the config that have names. */
export type PartsTopic = 'personas' | 'connectors';

/** The personas or connectors of the project. */
export function namedPartsQuery(topic: PartsTopic) {
  return queryOptions({
    queryKey: [topic],
    queryFn: ({ signal }) => api.get<NamedParts>(`/${topic}`, {}, signal),
  });
}

/** Every rubric file of the project. */
export function rubricListQuery() {
  return queryOptions({
    queryKey: ['rubrics'],
    queryFn: ({ signal }) => api.get<RubricList>('/rubrics', {}, signal),
  });
}

/** The settings of the program. */
export function settingsQuery() {
  return queryOptions({
    queryKey: ['settings'],
    queryFn: ({ signal }) => api.get<Settings>('/settings', {}, signal),
  });
}

/** A file of the project; looked at again whenever one comes back to the page. */
export function fileQuery(path: string) {
  return queryOptions({
    queryKey: ['file', path],
    queryFn: ({ signal }) => api.get<ProjectFile>(fileAddress(path), {}, signal),
    enabled: path !== '',
    staleTime: 0,
    refetchOnWindowFocus: 'always',
    retry: false,
  });
}

/** The problems of a text and the trials it would run. Each text has its own query, so an older answer never stands beside a newer text. */
export function fileCheckQuery(path: string, kind: FileKind, text: string) {
  return queryOptions({
    queryKey: ['file-check', path, kind, text],
    queryFn: () => api.post<FileCheck>('/files-check', { path, kind, text }),
    placeholderData: (previous) => previous,
    gcTime: 5_000,
    staleTime: 5_000,
    retry: false,
  });
}

/** Where a file of the project is found in the API. */
export function fileAddress(path: string): string {
  return `/files/${path.split('/').map(encodeURIComponent).join('/')}`;
}

/** The labels of evaluators; the type in words until the server has answered. */
export function useEvaluatorLabels(): (type: string) => string {
  const { data } = useQuery({
    queryKey: ['evaluator-types', 'labels'],
    queryFn: async ({ signal }) => labelsOf(await api.get<readonly EvaluatorType[]>('/evaluator-types', {}, signal)),
    staleTime: 600_000,
  });
  return (type) => data?.[type] ?? inWords(type);
}

function labelsOf(types: readonly EvaluatorType[]): Record<string, string> {
  return Object.fromEntries(types.map(({ type, label }) => [type, label]));
}

/** `latency-budget` as `Latency Budget`. */
function inWords(type: string): string {
  return type
    .split(/[-_]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ');
}
