import { useQuery } from '@tanstack/react-query';
import { assertionSection, metricSection } from '../../../../src/report/presentation/breakdown-text.ts';
import { plainWords, shownSections } from '../../../../src/shared/blocks/block.ts';
import { breakdownQuery } from '../../data/queries.ts';
import { ErrorView } from '../../kit/page.tsx';
import { SectionCard } from '../../kit/sections.tsx';

/** The sections of the reports beside the totals of a run: repeats, guidance, attacks, assertions, metrics and others. */
export function BreakdownCards({ runId }: { runId: string }) {
  const { data, error, refetch } = useQuery(breakdownQuery(runId));
  if (error) return <ErrorView error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return null;
  const sections = [...data.sections, assertionSection(data.assertions), metricSection(data.metrics)];
  return shownSections(sections).map((section, index) => (
    <SectionCard key={`${index} ${plainWords(section.title ?? '')}`} section={section} />
  ));
}
