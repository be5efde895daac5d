import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { basePath } from '../data/base-path.ts';
import { dashboardQuery, runListQuery, runQuery, trialListQuery } from '../data/queries.ts';
import { fetchCases } from '../pages/run/case-beside.ts';
import { RunsPage } from '../pages/runs/runs-page.tsx';
import { NotFoundPage, PageFailure } from './page-failure.tsx';
import { arriving, loading } from './page-loading.ts';
import {
  compareSearch,
  editorSearch,
  listSearch,
  parseSearch,
  reviewSearch,
  runSearch,
  runsSearch,
  settingsSearch,
  stringifySearch,
  tracesSearch,
  trialSearch,
  workbenchSearch,
} from './search-params.ts';
import { Shell } from './shell.tsx';

const rootRoute = createRootRouteWithContext<{ readonly client: QueryClient }>()({
  component: Shell,
  notFoundComponent: NotFoundPage,
});

const root = { getParentRoute: () => rootRoute };

/** A page whose program is loaded when it is opened. */
function page<Program extends Record<string, unknown>>(load: () => Promise<Program>, name: keyof Program & string) {
  return lazyRouteComponent(loading(load), name);
}

const dashboardRoute = createRoute({
  ...root,
  path: '/',
  loader: ({ context: { client } }) => void client.prefetchQuery(dashboardQuery()),
  component: page(() => import('../pages/dashboard/dashboard-page.tsx'), 'DashboardPage'),
});

const runsRoute = createRoute({
  ...root,
  path: '/runs',
  validateSearch: runsSearch,
  loaderDeps: ({ search: { text, status } }) => ({ text, status }),
  loader: ({ context: { client }, deps, cause }) => arriving(cause, client.prefetchInfiniteQuery(runListQuery(deps))),
  component: RunsPage,
});

const runRoute = createRoute({
  ...root,
  path: '/runs/$runId',
  validateSearch: runSearch,
  // The trial that is chosen in a list does not change the list.
  loaderDeps: ({ search: { trial: _, ...listed } }) => listed,
  loader: ({ context: { client }, params: { runId }, deps, cause }) =>
    arriving(
      cause,
      client.prefetchQuery(runQuery(runId)),
      deps.view === 'trials' || deps.cluster !== undefined
        ? client.prefetchInfiniteQuery(trialListQuery(runId, deps))
        : fetchCases(client, runId, deps),
    ),
  component: page(() => import('../pages/run/run-page.tsx'), 'RunPage'),
});

const trialRoute = createRoute({
  ...root,
  path: '/trials/$trialId',
  validateSearch: trialSearch,
  component: page(() => import('../pages/trial/trial-page.tsx'), 'TrialPage'),
});

const compareRoute = createRoute({
  ...root,
  path: '/compare',
  validateSearch: compareSearch,
  component: page(() => import('../pages/compare/compare-page.tsx'), 'ComparePage'),
});

const scenariosRoute = createRoute({
  ...root,
  path: '/scenarios',
  validateSearch: listSearch,
  component: page(() => import('../pages/scenarios/scenarios-page.tsx'), 'ScenariosPage'),
});

const scenarioEditorRoute = createRoute({
  ...root,
  path: '/scenarios/edit',
  validateSearch: editorSearch,
  component: page(() => import('../pages/scenario-editor/scenario-editor-page.tsx'), 'ScenarioEditorPage'),
});

const personasRoute = createRoute({
  ...root,
  path: '/personas',
  validateSearch: listSearch,
  component: page(() => import('../pages/named-parts/personas-page.tsx'), 'PersonasPage'),
});

const connectorsRoute = createRoute({
  ...root,
  path: '/connectors',
  validateSearch: listSearch,
  component: page(() => import('../pages/named-parts/connectors-page.tsx'), 'ConnectorsPage'),
});

const rubricsRoute = createRoute({
  ...root,
  path: '/rubrics',
  validateSearch: listSearch,
  component: page(() => import('../pages/rubrics/rubrics-page.tsx'), 'RubricsPage'),
});

const rubricEditorRoute = createRoute({
  ...root,
  path: '/rubrics/edit',
  validateSearch: editorSearch,
  component: page(() => import('../pages/rubrics/rubric-editor-page.tsx'), 'RubricEditorPage'),
});

const settingsRoute = createRoute({
  ...root,
  path: '/settings',
  validateSearch: settingsSearch,
  component: page(() => import('../pages/settings/settings-page.tsx'), 'SettingsPage'),
});

const reviewRoute = createRoute({
  ...root,
  path: '/review',
  validateSearch: reviewSearch,
  component: page(() => import('../pages/review/review-page.tsx'), 'ReviewPage'),
});

const tracesRoute = createRoute({
  ...root,
  path: '/traces',
  validateSearch: tracesSearch,
  component: page(() => import('../pages/traces/traces-page.tsx'), 'TracesPage'),
});

const mcpRoute = createRoute({
  ...root,
  path: '/mcp',
  validateSearch: listSearch,
  component: page(() => import('../pages/mcp/mcp-page.tsx'), 'McpPage'),
});

const workbenchRoute = createRoute({
  ...root,
  path: '/mcp/sessions/$session',
  validateSearch: workbenchSearch,
  component: page(() => import('../pages/mcp/workbench/workbench-page.tsx'), 'WorkbenchPage'),
});

const workersRoute = createRoute({
  ...root,
  path: '/workers',
  component: page(() => import('../pages/workers/workers-page.tsx'), 'WorkersPage'),
});

const routeTree = rootRoute.addChildren([
  dashboardRoute,
  runsRoute,
  runRoute,
  trialRoute,
  compareRoute,
  scenariosRoute,
  scenarioEditorRoute,
  personasRoute,
  connectorsRoute,
  rubricsRoute,
  rubricEditorRoute,
  settingsRoute,
  reviewRoute,
  tracesRoute,
  mcpRoute,
  workbenchRoute,
  workersRoute,
]);

/** Every address of the program, with the page behind it. */
export function createPages(client: QueryClient) {
  return createRouter({
    routeTree,
    basepath: basePath === '' ? '/' : basePath,
    context: { client },
    parseSearch,
    stringifySearch,
    defaultErrorComponent: PageFailure,
    defaultPreload: 'intent',
    // Whether something is fresh is for the queries to say.
    defaultPreloadStaleTime: 0,
    defaultPendingMs: 300,
    scrollRestoration: true,
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createPages>;
  }
}
