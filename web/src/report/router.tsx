import {
  createHashHistory,
  createRootRoute,
  createRoute,
  createRouter,
  type RouterHistory,
  redirect,
} from '@tanstack/react-router';
import { PageFailure } from '../app/page-failure.tsx';
import { compareSearch, parseSearch, runSearch, stringifySearch, trialSearch } from '../app/search-params.ts';
import { ComparePage } from '../pages/compare/compare-page.tsx';
import { RunPage } from '../pages/run/run-page.tsx';
import { TrialPage } from '../pages/trial/trial-page.tsx';
import { comparisonSearch, variantsSearch } from './addresses.ts';
import type { ReportData } from './report-data.ts';
import { NothingHere, ReportShell } from './shell.tsx';

/** The pages of the program that a report has. */
export function createReportPages(data: ReportData) {
  const report = data.document;
  const rootRoute = createRootRoute({
    component: () => <ReportShell data={data} />,
    notFoundComponent: NothingHere,
  });
  const firstRoute = createRoute({
    getParentRoute: () => rootRoute,
    path: '/',
    beforeLoad: () => {
      if (report.opensWith === 'run')
        throw redirect({ to: '/runs/$runId', params: { runId: report.run.runId }, replace: true });
      const search = report.opensWith === 'variants' ? variantsSearch(report) : comparisonSearch(report);
      throw redirect({ to: '/compare', search, replace: true });
    },
  });
  const parent = { getParentRoute: () => rootRoute };
  const runRoute = createRoute({ ...parent, path: '/runs/$runId', validateSearch: runSearch, component: RunPage });
  const trialRoute = createRoute({
    ...parent,
    path: '/trials/$trialId',
    validateSearch: trialSearch,
    component: TrialPage,
  });
  const compareRoute = createRoute({
    ...parent,
    path: '/compare',
    validateSearch: compareSearch,
    component: ComparePage,
  });
  return createRouter({
    routeTree: rootRoute.addChildren([firstRoute, runRoute, trialRoute, compareRoute]),
    history: historyInPage(),
    parseSearch,
    stringifySearch,
    defaultErrorComponent: PageFailure,
    scrollRestoration: true,
  });
}

/** Addresses behind the `#`, as a file can have no others; links do not name the file, which may be moved. */
function historyInPage(): RouterHistory {
  return Object.assign(createHashHistory(), { createHref: (href: string) => `#${href}` });
}
