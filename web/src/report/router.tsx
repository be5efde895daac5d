import {
  createHashHistory,
  createRootRoute,
  createRoute,
  createRouter,
  Link,
  Outlet,
  type RouterHistory,
  redirect,
} from '@tanstack/react-router';
import { Compass } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { ReportDocument } from '../../../src/report/reporters/html/report-document.ts';
import { counted } from '../../../src/shared/format.ts';
import { useKeptFocus } from '../app/kept-focus.ts';
import { focusFirstRow, focusSearch, usePageKeys } from '../app/keys.ts';
import { PageFailure } from '../app/page-failure.tsx';
import {
  type CompareSearch,
  compareSearch,
  parseSearch,
  runSearch,
  stringifySearch,
  trialSearch,
} from '../app/search-params.ts';
import { ThemeSwitch } from '../app/theme.tsx';
import { LinkButton } from '../kit/button.tsx';
import { EmptyState, Page, Remark } from '../kit/page.tsx';
import { ComparePage } from '../pages/compare/compare-page.tsx';
import { RunPage } from '../pages/run/run-page.tsx';
import { TrialPage } from '../pages/trial/trial-page.tsx';
import type { ReportData } from './report-data.ts';

/** The address of the comparison of two sides; which of them are shown, the report knows. */
function comparisonSearch({ comparison }: ReportDocument): CompareSearch {
  return { a: comparison?.a.runId, b: comparison?.b.runId };
}

/** The address of the table of variants or runs. */
function variantsSearch({ run, variants }: ReportDocument): CompareSearch {
  if (variants?.by === 'run') return { runs: variants.variants.map(({ label }) => label).join(',') };
  return compareSearch({ a: run.runId, by: variants?.by });
}

const look =
  'rounded px-2 py-1 text-sm text-muted hover:text-ink aria-[current=page]:font-medium aria-[current=page]:text-ink';

/** The frame of a report: the views that it has, and the colours. */
function ReportShell({ data }: { data: ReportData }) {
  const { document: report } = data;
  useKeptFocus();
  usePageKeys({ '/': focusSearch, j: focusFirstRow, k: focusFirstRow });
  return (
    <div className="min-h-dvh">
      <header className="sticky top-0 z-30 flex h-(--bar-height) items-center gap-3 border-b border-line bg-surface px-4 sm:px-6">
        <nav aria-label="Views" className="flex min-w-0 flex-1 items-center gap-1 overflow-x-auto">
          <Link to="/runs/$runId" params={{ runId: report.run.runId }} className={look}>
            Run
          </Link>
          {report.comparison && (
            <Link to="/compare" search={comparisonSearch(report)} className={look}>
              Comparison
            </Link>
          )}
          {report.variants && (
            <Link to="/compare" search={variantsSearch(report)} className={look}>
              Variants
            </Link>
          )}
        </nav>
        <ThemeSwitch />
      </header>
      <main id="content" tabIndex={-1} className="min-w-0">
        <LeftOut data={data} />
        <Outlet />
      </main>
    </div>
  );
}

/** Says that the report does not have all traces. */
function LeftOut({ data }: { data: ReportData }) {
  const [count, setCount] = useState(0);
  useEffect(() => void data.countWithoutTrace().then(setCount), [data]);
  if (count === 0) return null;
  return (
    <div className="px-4 pt-4 sm:px-6">
      <Remark tone="info">
        {counted(count, 'trial')} that passed {count === 1 ? 'is' : 'are'} here without the trace, which would make this
        report too large.
      </Remark>
    </div>
  );
}

/** For addresses that lead nowhere. */
function NothingHere() {
  return (
    <Page title="Nothing here">
      <EmptyState
        icon={<Compass size={22} />}
        title="Page not found"
        action={<LinkButton to="/">To the report</LinkButton>}
      />
    </Page>
  );
}

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
