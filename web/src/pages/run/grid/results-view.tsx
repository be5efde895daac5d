import { Segments } from '../../../kit/disclosure.tsx';
import { useRunSearch } from '../result-filter.ts';
import { TrialList, trialListId } from '../trial-list.tsx';
import { CaseGrid } from './case-grid.tsx';

interface ResultsViewProps {
  readonly runId: string;
  readonly isLive: boolean;
}

/** The results of a run: one row for each case, or one for each trial. */
export function ResultsView(props: ResultsViewProps) {
  const [search, change] = useRunSearch();
  // A cluster is a list of trials.
  const view = search.view === 'trials' || search.cluster !== undefined ? 'trials' : 'cases';
  const choose = (key: 'cases' | 'trials'): void =>
    void change(key === 'trials' ? { view: key } : { view: undefined, cluster: undefined });
  return (
    <div id={trialListId} className="flex min-h-96 scroll-mt-4 flex-col gap-2">
      <Segments label="How results are listed" choices={views} value={view} onChange={choose} />
      {view === 'trials' ? <TrialList {...props} /> : <CaseGrid {...props} />}
    </div>
  );
}

const views = [
  { key: 'cases', label: 'Cases' },
  { key: 'trials', label: 'Trials' },
] as const;
