import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Activity } from 'lucide-react';
import type { RunHead, TrialItem } from '../../../../src/entry/server/api/runs.ts';
import { caseName } from '../../../../src/report/presentation/case-name.ts';
import { counted, formatDuration, grouped } from '../../../../src/shared/format.ts';
import { latestFailuresQuery } from '../../data/queries.ts';
import type { RunProgress } from '../../data/run-stream.ts';
import { OutcomeBadge } from '../../kit/badge.tsx';
import { Duration, OutcomeBar } from '../../kit/figures.tsx';
import { Card } from '../../kit/page.tsx';
import { leftText, useNow } from '../../kit/when-text.ts';

/** How fast trials finish, in the unit that gives a number one can picture. */
export function rateText(perSecond: number | null): string {
  if (perSecond === null || !Number.isFinite(perSecond) || perSecond <= 0) return 'rate is not known yet';
  if (perSecond >= 1) return `${perSecond >= 10 ? Math.round(perSecond) : perSecond.toFixed(1)} trials per second`;
  const perMinute = perSecond * 60;
  if (perMinute >= 1) return `${perMinute >= 10 ? Math.round(perMinute) : perMinute.toFixed(1)} trials per minute`;
  return `${(perMinute * 60).toFixed(1)} trials per hour`;
}

/** Nothing is said of a pause that is shorter. */
const shortQuietMs = 10_000;

/** How fast trials finish and how long the rest takes; both only as long as trials finish as they did. */
export function paceTexts(
  { finishedPerSecond, secondsLeft }: { finishedPerSecond: number | null; secondsLeft: number | null },
  quietMs: number,
): readonly [pace: string, left: string] {
  const usualMs = finishedPerSecond ? 1_000 / finishedPerSecond : 0;
  if (quietMs > Math.max(shortQuietMs, 3 * usualMs))
    return [`no trial has finished for ${formatDuration(quietMs)}`, 'time left is not known'];
  const left = secondsLeft === null ? 'time left is not known yet' : leftText(secondsLeft - quietMs / 1_000);
  return [rateText(finishedPerSecond), left];
}

const noPace = { finishedPerSecond: null, secondsLeft: null };

/** A run as it goes on: how far, how fast, what runs now, and what failed a moment ago. */
export function LiveProgress({ run, events }: { run: RunHead; events: RunProgress & { isOpen: boolean } }) {
  const now = useNow(1_000);
  const { progress } = events;
  const totals = progress?.totals ?? run.totals;
  const done = totals.pass + totals.fail + totals.error;
  const quietMs = Math.max(0, now - (progress?.lastFinishedAt ?? now));
  const [pace, left] = paceTexts(progress ?? noPace, quietMs);
  return (
    <Card
      isColumn
      icon={Activity}
      title="Running"
      actions={
        <span className="text-xs text-muted tabular-nums">
          <Duration ms={Math.max(0, now - run.startedAt)} /> so far
        </span>
      }
    >
      <div
        role="progressbar"
        aria-label="Trials that have finished"
        aria-valuemin={0}
        aria-valuemax={totals.planned}
        aria-valuenow={done}
      >
        <OutcomeBar totals={totals} height={14} />
      </div>
      <p className="flex flex-wrap gap-x-4 gap-y-1 text-sm tabular-nums">
        <span>
          <strong>{grouped(done)}</strong> of {counted(totals.planned, 'trial')}
          {progress?.round && ` up to the end of round ${progress.round.round} of at most ${progress.round.rounds}`}
        </span>
        <span className="text-muted">{pace}</span>
        <span className="text-muted">{left}</span>
      </p>
      <div className="grid gap-4 lg:grid-cols-2">
        <RunningNow trials={progress?.running ?? []} />
        <LatestFailures runId={run.runId} streamed={events.failures} />
      </div>
      {events.warnings.length > 0 && (
        <ul className="rounded-md bg-error-ground p-2 text-xs">
          {events.warnings.map((warning) => (
            <li key={warning}>{warning}</li>
          ))}
        </ul>
      )}
    </Card>
  );
}

function RunningNow({ trials }: { trials: NonNullable<RunProgress['progress']>['running'] }) {
  return (
    <section aria-label="Running now" className="min-h-24 min-w-0">
      <h3 className="mb-1 text-xs font-medium text-muted">Running now</h3>
      <ul className="flex flex-col gap-0.5 text-sm">
        {trials.slice(0, 6).map((trial) => (
          <li key={trial.trialId} className="truncate">
            {trial.scenario} <span className="text-muted">› {trial.caseId}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Failures of a run, the newest first, each once: those that were stored when the page opened, and those since. */
export function newestFailures(streamed: readonly TrialItem[], stored: readonly TrialItem[]): TrialItem[] {
  const byId = new Map([...stored, ...streamed].map((trial) => [trial.trialId, trial]));
  return [...byId.values()].sort((a, b) => endOf(b) - endOf(a));
}

function endOf({ startedAt, durationMs }: TrialItem): number {
  return startedAt + (durationMs ?? 0);
}

function LatestFailures({ runId, streamed }: { runId: string; streamed: readonly TrialItem[] }) {
  const { data } = useQuery(latestFailuresQuery(runId));
  const failures = newestFailures(streamed, data?.items ?? []);
  return (
    <section aria-label="Failures, the newest first" aria-live="polite" className="min-h-24 min-w-0">
      <h3 className="mb-1 text-xs font-medium text-muted">Failures, the newest first</h3>
      {failures.length === 0 && data !== undefined && <p className="text-sm text-muted">None so far</p>}
      <ul className="flex flex-col gap-1 text-sm">
        {failures.slice(0, 6).map((trial) => (
          <li key={trial.trialId} className="flex min-w-0 items-center gap-2">
            <OutcomeBadge outcome={trial.outcome} marks={trial.marks} />
            <Link
              to="/trials/$trialId"
              params={{ trialId: trial.trialId }}
              className="min-w-0 truncate underline-offset-2 hover:underline"
            >
              {trial.scenario} › {caseName(trial.caseId, trial.input)}
              <span className="text-muted"> {trial.reason}</span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
