import { useNavigate, useSearch } from '@tanstack/react-router';
import { classes } from '../../../kit/classes.ts';
import { TrialList, trialListId } from '../trial-list.tsx';
import { CaseGrid } from './case-grid.tsx';

interface ResultsViewProps {
  readonly runId: string;
  readonly isLive: boolean;
}

/** The results of a run: one row for each case, or one for each trial. */
export function ResultsView(props: ResultsViewProps) {
  const search = useSearch({ from: '/runs/$runId' });
  // A cluster is a list of trials.
  const view = search.view === 'trials' || search.cluster !== undefined ? 'trials' : undefined;
  return (
    <div id={trialListId} className="flex min-h-96 scroll-mt-4 flex-col gap-2">
      <ViewChoice view={view} />
      {view === 'trials' ? <TrialList {...props} /> : <CaseGrid {...props} />}
    </div>
  );
}

const views = [
  { view: undefined, label: 'Cases' },
  { view: 'trials', label: 'Trials' },
] as const;

function ViewChoice({ view }: { view: 'trials' | undefined }) {
  const navigate = useNavigate({ from: '/runs/$runId' });
  return (
    <fieldset className="flex self-start overflow-hidden rounded-md border border-line bg-surface">
      <legend className="sr-only">How results are listed</legend>
      {views.map((each) => (
        <button
          key={each.label}
          type="button"
          aria-pressed={view === each.view}
          onClick={() =>
            void navigate({
              search: (known) => ({ ...known, view: each.view, cluster: each.view && known.cluster }),
              replace: true,
              resetScroll: false,
            })
          }
          className={classes(
            'border-l border-line px-3 py-1 text-sm -outline-offset-2 first-of-type:border-l-0',
            view === each.view ? 'bg-accent-ground font-medium text-accent' : 'text-muted hover:text-ink',
          )}
        >
          {each.label}
        </button>
      ))}
    </fieldset>
  );
}
