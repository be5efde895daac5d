import { useQuery } from '@tanstack/react-query';
import type { RunDetail } from '../../../../src/entry/server/api/runs.ts';
import { assertionSection, metricSection } from '../../../../src/report/presentation/breakdown-text.ts';
import { plainWords, shownSections } from '../../../../src/shared/blocks/block.ts';
import { breakdownQuery } from '../../data/queries.ts';
import { ErrorView } from '../../kit/page.tsx';
import { FoldedSection } from '../../kit/sections.tsx';

/** The sections of the reports beside the results of a run; those that the run was made for are open. */
export function BreakdownCards({ run }: { run: RunDetail }) {
  const { data, error, refetch } = useQuery(breakdownQuery(run.runId));
  if (error) return <ErrorView error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return null;
  const sections = [...data.sections, assertionSection(data.assertions), metricSection(data.metrics)];
  return (
    <div className="flex flex-col gap-2">
      {shownSections(sections).map((section, index) => {
        const title = plainWords(section.title ?? '');
        return <FoldedSection key={`${index} ${title}`} section={section} isOpen={isSubject(title, run)} />;
      })}
    </div>
  );
}

/** Whether a run was made to learn what this section says. */
function isSubject(title: string, { cells }: RunDetail): boolean {
  if (title.startsWith('Attacks of') || title.startsWith('Resilience')) return true;
  const guidances = new Set(cells.map(({ variant }) => `${variant.guidance ?? ''} ${variant.skills ?? ''}`));
  return title.startsWith('Guidance and variants') && guidances.size > 1;
}
