import type { RunHead } from '../../../../../src/entry/server/api/runs.ts';
import type { RunSearch } from '../../../app/search-params.ts';
import { classes } from '../../../kit/classes.ts';
import { Segments } from '../../../kit/disclosure.tsx';
import { useMedia } from '../../../kit/use-media.ts';
import { AnswersByVariant } from '../../compare/answers-by-variant.tsx';
import { CasePanel } from '../../trial/case-panel.tsx';
import { besideList } from '../case-beside.ts';
import { useBeside } from '../list-props.ts';
import { matrixOf } from '../matrix.ts';
import { Problems } from '../problems.tsx';
import { useRunSearch } from '../result-filter.ts';
import { TrialChoiceProvider } from '../trial-choice.tsx';
import { TrialList, trialListId } from '../trial-list.tsx';
import { VariantMatrix } from '../variant-matrix.tsx';
import { CaseGrid } from './case-grid.tsx';

const names = {
  cases: 'Cases',
  causes: 'Causes',
  variants: 'Variants side by side',
  scenarios: 'Scenarios',
  trials: 'Trials',
} as const;
type View = keyof typeof names;

interface ResultsViewProps {
  readonly run: RunHead;
  /** Trials that failed or could not be judged. */
  readonly failed: number;
}

/** The results of a run: its cases, failures first, by cause, by scenario, or every trial; the chosen one beside them. */
export function ResultsView({ run, failed }: ResultsViewProps) {
  const { runId, isLive, cells } = run;
  const [search, change] = useRunSearch();
  const isWide = useMedia(besideList);
  const view = viewOf(search, viewsOf(run, failed));
  const { chosen, previous, next, onListed } = useBeside(search.trial, isLive);
  const list = { runId, isLive, onListed };
  return (
    <TrialChoiceProvider chosen={chosen} isBeside={isWide}>
      <div id={trialListId} className="flex min-h-96 scroll-mt-4 flex-col gap-2">
        <Segments
          label="How results are listed"
          choices={viewsOf(run, failed).map((key) => ({ key, label: names[key] }))}
          value={view}
          onChange={(key) => void change({ view: key === 'cases' ? undefined : key, cluster: undefined })}
        />
        {view === 'variants' ? (
          <AnswersByVariant runId={runId} />
        ) : (
          <div className={classes('grid items-start gap-4', isWide && 'grid-cols-[minmax(0,1fr)_minmax(0,1fr)]')}>
            <div className="flex min-w-0 flex-col gap-4">
              {view === 'causes' && <Problems {...list} />}
              {view === 'scenarios' && <VariantMatrix cells={cells} />}
              {view === 'trials' || search.cluster !== undefined ? <TrialList {...list} /> : null}
              {(view === 'cases' || view === 'scenarios') && <CaseGrid {...list} />}
            </div>
            {isWide && chosen !== undefined && <CasePanel trialId={chosen} previous={previous} next={next} />}
          </div>
        )}
      </div>
    </TrialChoiceProvider>
  );
}

function viewOf({ view, cluster }: RunSearch, choices: readonly View[]): View {
  // A cluster is a list of trials.
  if (cluster !== undefined) return 'causes';
  return choices.find((key) => key === view) ?? 'cases';
}

/** The lists that say something about these results. */
function viewsOf({ cells }: RunHead, failed: number): readonly View[] {
  const { columns, rows } = matrixOf(cells);
  const isShown: Readonly<Record<View, boolean>> = {
    cases: true,
    causes: failed > 0,
    variants: columns.length > 1,
    scenarios: rows.length > 1 || columns.length > 1,
    trials: true,
  };
  return (Object.keys(names) as View[]).filter((key) => isShown[key]);
}
