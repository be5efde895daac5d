import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Ban, Check, GitCompareArrows, TriangleAlert, X } from 'lucide-react';
import type { TrialRecord } from '../../../../src/domain/record.ts';
import type { TrialItem } from '../../../../src/entry/server/api/runs.ts';
import { variantText } from '../../../../src/report/presentation/trial-text.ts';
import { sameCaseQuery } from '../../data/trials.ts';
import { classes } from '../../kit/classes.ts';

const signs = { pass: Check, fail: X, error: TriangleAlert, skipped: Ban } as const;
const colours = { pass: 'text-pass', fail: 'text-fail', error: 'text-error', skipped: 'text-muted' } as const;

/** Other trials of the same case in the same run: other variants and repeats. */
export function SameCase({ record }: { record: TrialRecord }) {
  const { data } = useQuery(sameCaseQuery(record));
  if (!data || data.length < 2) return null;
  return (
    <nav aria-label="Trials of the same case" className="flex flex-wrap items-center gap-1.5">
      <span className="mr-1 text-xs text-muted">Same case</span>
      {data.map((trial) => (
        <Sibling key={trial.trialId} trial={trial} here={record.trialId} />
      ))}
    </nav>
  );
}

function Sibling({ trial, here }: { trial: TrialItem; here: string }) {
  const Sign = signs[trial.outcome];
  const isHere = trial.trialId === here;
  const name = [variantText(trial.variant), `#${trial.repeat}`].filter((part) => part !== '').join(' ');
  return (
    <span
      className={classes(
        'inline-flex items-center rounded-md border text-xs hover:border-edge',
        isHere ? 'border-accent bg-accent-ground' : 'border-line',
      )}
    >
      <Link
        to="/trials/$trialId"
        params={{ trialId: trial.trialId }}
        aria-current={isHere ? 'page' : undefined}
        title={trial.reason}
        className="inline-flex items-center gap-1 rounded px-1.5 py-0.5"
      >
        <Sign size={12} aria-hidden className={colours[trial.outcome]} />
        <span className="sr-only">{trial.outcome}: </span>
        {name}
      </Link>
      {!isHere && (
        <Link
          to="/compare"
          search={{ left: trial.trialId, right: here }}
          title="Compare its steps with those of this trial"
          className="rounded border-l border-line px-1 py-1 text-muted hover:text-ink"
        >
          <GitCompareArrows size={12} aria-hidden />
          <span className="sr-only">Compare the steps of {name} with those of this trial</span>
        </Link>
      )}
    </span>
  );
}
