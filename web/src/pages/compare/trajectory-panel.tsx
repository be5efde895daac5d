import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { DiffedTrial } from '../../../../src/report/compare/trajectory/trajectory-comparison.ts';
import { countsText } from '../../../../src/report/presentation/diff-words.ts';
import { foldedRows } from '../../../../src/report/presentation/folded-rows.ts';
import { variantText } from '../../../../src/report/presentation/trial-text.ts';
import { counted } from '../../../../src/shared/format.ts';
import { trialsDiffQuery } from '../../data/comparisons.ts';
import { OutcomeBadge } from '../../kit/badge.tsx';
import { Button, LinkButton } from '../../kit/button.tsx';
import { ErrorView } from '../../kit/error-view.tsx';
import { Skeleton } from '../../kit/skeleton.tsx';
import { Switch } from '../../kit/switch.tsx';
import { Remark } from '../trial/findings/remark.tsx';
import { TrajectoryStep } from './trajectory-step.tsx';

const step = 200;

/** What was done in two trials, step by step beside each other. */
export function TrajectoryPanel({ left, right }: { left: string; right: string }) {
  const { data, error, refetch } = useQuery(trialsDiffQuery(left, right));
  const [isFolded, setIsFolded] = useState(true);
  const [shown, setShown] = useState(step);
  if (error) return <ErrorView error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton lines={6} />;
  const rows = isFolded ? foldedRows(data.rows) : data.rows.map((row) => ({ row }));
  return (
    <section aria-label="Steps of both trials" className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <p className="font-medium">{countsText(data)}</p>
        <span className="flex items-center gap-2 text-xs text-muted">
          <span aria-hidden>Leave out what is the same</span>
          <Switch label="Leave out what is the same" value={isFolded} onChange={setIsFolded} />
        </span>
      </div>
      {data.notes.map((note) => (
        <Remark key={note} tone="info">
          {note}
        </Remark>
      ))}
      <div className="grid grid-cols-1 gap-x-4 md:grid-cols-2">
        <TrialHead side="A" trial={data.a} />
        <TrialHead side="B" trial={data.b} />
      </div>
      <ol className="overflow-hidden rounded-md border border-line bg-surface">
        {rows.slice(0, shown).map((folded, index) =>
          'row' in folded ? (
            <TrajectoryStep key={`row ${index + 1}`} row={folded.row} left={left} right={right} />
          ) : (
            <li
              key={`row ${index + 1}`}
              className="border-b border-line bg-raised/60 px-3 py-1 text-xs text-muted last:border-b-0"
            >
              {counted(folded.hidden, 'step')} the same
            </li>
          ),
        )}
      </ol>
      {rows.length > shown && (
        <Button size="sm" onClick={() => setShown(shown + step)}>
          Show {Math.min(step, rows.length - shown)} more steps
        </Button>
      )}
    </section>
  );
}

function TrialHead({ side, trial }: { side: string; trial: DiffedTrial }) {
  const details = [variantText(trial.variant), `repeat ${trial.repeat}`].filter((text) => text !== '').join(', ');
  return (
    <div className="flex min-w-0 flex-wrap items-center gap-2 py-1">
      <span className="font-semibold">{side}</span>
      <OutcomeBadge outcome={trial.outcome} />
      <span className="min-w-0 flex-1 text-xs text-muted">
        {details}: {trial.reason}
      </span>
      <LinkButton size="sm" variant="ghost" to="/trials/$trialId" params={{ trialId: trial.trialId }}>
        Open trial
      </LinkButton>
    </div>
  );
}
