import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { variantText } from '../../../../src/domain/variant-text.ts';
import type { Step } from '../../../../src/report/compare/trajectory/steps.ts';
import type { DiffedTrial } from '../../../../src/report/compare/trajectory/trajectory-comparison.ts';
import type { RowStatus, TrajectoryRow } from '../../../../src/report/compare/trajectory/trajectory-diff.ts';
import { countsText, foldedRows, statusMarks } from '../../../../src/report/presentation/diff-text.ts';
import { counted } from '../../../../src/shared/format.ts';
import { trialsDiffQuery } from '../../data/trials.ts';
import { OutcomeBadge } from '../../kit/badge.tsx';
import { LinkButton } from '../../kit/button.tsx';
import { classes } from '../../kit/classes.ts';
import { Switch } from '../../kit/field.tsx';
import { Remark } from '../../kit/page.tsx';
import { useSteps } from '../../kit/small-table.tsx';
import { useRead } from '../../kit/use-read.tsx';
import { eventName } from '../trial/use-trial-address.ts';

const looks: Readonly<Record<RowStatus, string>> = {
  same: '',
  changed: 'bg-error-ground/50',
  added: 'bg-pass-ground/50',
  dropped: 'bg-raised',
  'failed-now': 'bg-fail-ground/70',
  mended: 'bg-pass-ground/70',
};
const words: Readonly<Record<RowStatus, string>> = {
  same: 'the same',
  changed: 'changed',
  added: 'only in B',
  dropped: 'only in A',
  'failed-now': 'fails now',
  mended: 'mended',
};

/** A step of A beside the step of B that it became. */
function TrajectoryStep({ row: { status, a, b }, left, right }: { row: TrajectoryRow; left: string; right: string }) {
  return (
    <li
      className={classes(
        'grid grid-cols-[1.25rem_minmax(0,1fr)] gap-x-2 border-b border-line px-2 py-1 last:border-b-0 md:grid-cols-[1.25rem_minmax(0,1fr)_minmax(0,1fr)]',
        looks[status],
      )}
    >
      <span title={words[status]} className="text-center font-mono text-xs text-muted">
        <span aria-hidden>{statusMarks[status]}</span>
        <span className="sr-only">{words[status]}</span>
      </span>
      <StepCell side="A" step={a} trialId={left} />
      <StepCell side="B" step={b} trialId={right} isSecond isRepeated={status === 'same' && a?.label === b?.label} />
    </li>
  );
}

function StepCell({
  side,
  step,
  trialId,
  isSecond = false,
  isRepeated = false,
}: {
  side: string;
  step: Step | undefined;
  trialId: string;
  isSecond?: boolean;
  /** Says what the other side says: not where the sides stand below each other. */
  isRepeated?: boolean;
}) {
  if (!step) return <span className={classes('hidden text-muted md:block', isSecond && 'md:col-start-3')}>–</span>;
  return (
    <div className={classes('col-start-2 min-w-0', isSecond && 'md:col-start-3', isRepeated && 'max-md:hidden')}>
      <span className="mr-1 text-2xs text-muted md:hidden">{side}</span>
      <Link
        to="/trials/$trialId"
        params={{ trialId }}
        search={{ event: eventName(step.eventIndex) }}
        title="Show it in the trace"
        className={classes('font-mono text-xs hover:underline', step.state === 'failed' && 'text-fail')}
      >
        {step.label}
      </Link>
      {step.detail !== '' && <span className="block text-xs text-fail">{step.detail}</span>}
    </div>
  );
}

const step = 200;

/** The steps of two trials, side by side. */
export function TrajectoryPanel({ left, right }: { left: string; right: string }) {
  const [data, instead] = useRead(trialsDiffQuery(left, right), 6);
  const [isFolded, setIsFolded] = useState(true);
  if (!data) return instead;
  return (
    <section aria-label="Steps of both trials" className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <p className="font-medium">{countsText(data)}</p>
        <span className="flex items-center gap-2 text-xs text-muted">
          <span aria-hidden>Hide equal steps</span>
          <Switch label="Hide equal steps" value={isFolded} onChange={setIsFolded} />
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
      <Rows rows={isFolded ? foldedRows(data.rows) : data.rows.map((row) => ({ row }))} left={left} right={right} />
    </section>
  );
}

type ShownRow = { readonly row: TrajectoryRow } | { readonly hidden: number };

function Rows({ rows, left, right }: { rows: readonly ShownRow[]; left: string; right: string }) {
  const [visible, more] = useSteps(rows, step, 'steps');
  return (
    <>
      <ol className="overflow-hidden rounded-md border border-line bg-surface">
        {visible.map((folded, index) =>
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
      {more}
    </>
  );
}

function TrialHead({ side, trial }: { side: string; trial: DiffedTrial }) {
  const details = [variantText(trial.variant), `repeat ${trial.repeat}`].filter((text) => text !== '').join(', ');
  return (
    <div className="flex min-w-0 flex-wrap items-center gap-2 py-1">
      <span className="font-semibold">{side}</span>
      <OutcomeBadge outcome={trial.outcome} marks={trial.marks} />
      <span className="min-w-0 flex-1 text-xs text-muted">
        {details}: {trial.reason}
      </span>
      <LinkButton size="sm" variant="ghost" to="/trials/$trialId" params={{ trialId: trial.trialId }}>
        Open trial
      </LinkButton>
    </div>
  );
}
