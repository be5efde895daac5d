import { useQuery } from '@tanstack/react-query';
import type { ShownRun } from '../../../../src/entry/server/api/runs.ts';
import { assertionSection, metricSection } from '../../../../src/report/presentation/breakdown-text.ts';
import { plainWords, shownSections } from '../../../../src/shared/blocks/block.ts';
import { breakdownQuery } from '../../data/queries.ts';
import { Disclosure } from '../../kit/disclosure.tsx';
import { ErrorView, Skeleton } from '../../kit/page.tsx';
import { FoldedSection } from '../../kit/sections.tsx';

/** Above this many trials the sections are computed when they are opened: all trials are read for them. */
const mostAtOnce = 2_000;

/** The sections of the reports beside the results of a run; those that the run was made for are open. */
export function BreakdownCards({ run }: { run: ShownRun }) {
  const isLarge = run.totals.planned > mostAtOnce && run.header.request.attacks === undefined && !run.resilience;
  if (!isLarge) return <Sections run={run} />;
  return (
    <section aria-label="Figures" className="min-w-0 rounded-lg border border-line bg-surface">
      <Disclosure isWide summary="Figures: assertions, metrics, repeats and parts">
        <div className="px-4 pb-4">
          <Sections run={run} />
        </div>
      </Disclosure>
    </section>
  );
}

function Sections({ run }: { run: ShownRun }) {
  const { data, error, refetch } = useQuery(breakdownQuery(run.runId));
  if (error) return <ErrorView error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton lines={2} />;
  const sections = [...data.sections, assertionSection(data.assertions), metricSection(data.metrics)];
  return (
    <div className="flex flex-col gap-2">
      {shownSections(sections).map((section, index) => {
        const title = plainWords(section.title ?? '');
        return (
          <FoldedSection key={`${index} ${title}`} section={section} isOpen={section.isOpen ?? isSubject(title, run)} />
        );
      })}
    </div>
  );
}

/** Whether a run was made to learn what this section says. */
function isSubject(title: string, { cells }: ShownRun): boolean {
  if (['Attacks of', 'Resilience', 'Repeats'].some((subject) => title.startsWith(subject))) return true;
  const guidances = new Set(
    cells.map(({ variant: { guidance, skills, harness } }) => [guidance, skills, harness].join()),
  );
  return title.startsWith('Guidance and variants') && guidances.size > 1;
}
