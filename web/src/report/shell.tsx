import { Link, Outlet } from '@tanstack/react-router';
import { Compass } from 'lucide-react';
import { useEffect, useState } from 'react';
import { counted } from '../../../src/shared/format.ts';
import { useKeptFocus } from '../app/kept-focus.ts';
import { focusFirstRow, focusSearch, usePageKeys } from '../app/keys.ts';
import { ThemeSwitch } from '../app/theme.tsx';
import { LinkButton } from '../kit/button.tsx';
import { EmptyState, Page, Remark } from '../kit/page.tsx';
import { comparisonSearch, variantsSearch } from './addresses.ts';
import type { ReportData } from './report-data.ts';

const look =
  'rounded px-2 py-1 text-sm text-muted hover:text-ink aria-[current=page]:font-medium aria-[current=page]:text-ink';

/** The frame of a report: the views that it has, and the colours. */
export function ReportShell({ data }: { data: ReportData }) {
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
export function NothingHere() {
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
