import { useQuery } from '@tanstack/react-query';
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
import { read, readByPost } from './read.ts';

/** Data of the program itself changes only when it is restarted. */
const fixed = { staleTime: 600_000 };

/** Every scenario of the project, and the files that cannot be read. */
export const scenarioListQuery = () => read<ScenarioList>(['scenarios'], '/scenarios');

/** Figures of a scenario in its last runs. */
export const scenarioStatsQuery = (scenario: string) =>
  read<ScenarioStats>(['scenario-stats', scenario], '/scenario-stats', { scenario }, { staleTime: 0 });

/** The schemas behind the forms for scenario files. */
export const scenarioFormatsQuery = () => read<ScenarioFormats>(['scenario-formats'], '/scenario-formats', {}, fixed);

/** Every evaluator that scenarios can use. */
export const evaluatorTypesQuery = () =>
  read<readonly EvaluatorType[]>(['evaluator-types'], '/evaluator-types', {}, fixed);

/** Every kind of connector. */
export const connectorTypesQuery = () =>
  read<readonly ConnectorType[]>(['connector-types'], '/connector-types', {}, fixed);

/** Parts of the config that have names. */
export type PartsTopic = 'personas' | 'connectors';

/** The personas or connectors of the project. */
export const namedPartsQuery = (topic: PartsTopic) => read<NamedParts>([topic], `/${topic}`);

/** Every rubric file of the project. */
export const rubricListQuery = () => read<RubricList>(['rubrics'], '/rubrics');

/** The settings of the program. */
export const settingsQuery = () => read<Settings>(['settings'], '/settings');

/** A file of the project; looked at again whenever one comes back to the page. */
export const fileQuery = (path: string) =>
  read<ProjectFile>(
    ['file', path],
    fileAddress(path),
    {},
    { enabled: path !== '', staleTime: 0, refetchOnWindowFocus: 'always', retry: false },
  );

/** The problems of a text and the trials it would run. Each text has its own query, so an older answer never stands beside a newer text. */
export const fileCheckQuery = (path: string, kind: FileKind, text: string) =>
  readByPost<FileCheck>(
    ['file-check', path, kind, text],
    '/files-check',
    { path, kind, text },
    { placeholderData: (previous) => previous, gcTime: 5_000, staleTime: 5_000 },
  );

/** Where a file of the project is found in the API. */
export function fileAddress(path: string): string {
  return `/files/${path.split('/').map(encodeURIComponent).join('/')}`;
}

/** The labels of evaluators; the type in words until the server has answered. */
export function useEvaluatorLabels(): (type: string) => string {
  const { data } = useQuery({
    queryKey: ['evaluator-types', 'labels'],
    queryFn: async ({ signal }) => labelsOf(await api.get<readonly EvaluatorType[]>('/evaluator-types', {}, signal)),
    ...fixed,
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
