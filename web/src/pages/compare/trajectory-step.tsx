import { Link } from '@tanstack/react-router';
import type { Step } from '../../../../src/report/compare/trajectory/step.ts';
import type { RowStatus, TrajectoryRow } from '../../../../src/report/compare/trajectory/trajectory-diff.ts';
import { statusMarks } from '../../../../src/report/presentation/diff-words.ts';
import { classes } from '../../kit/classes.ts';

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
export function TrajectoryStep({
  row: { status, a, b },
  left,
  right,
}: {
  row: TrajectoryRow;
  left: string;
  right: string;
}) {
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
        search={{ event: step.eventIndex }}
        title="Show it in the trace"
        className={classes('font-mono text-xs hover:underline', step.state === 'failed' && 'text-fail')}
      >
        {step.label}
      </Link>
      {step.detail !== '' && <span className="block text-xs text-fail">{step.detail}</span>}
    </div>
  );
}
