import { Ban, Check, CircleDashed, TriangleAlert, X } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Outcome } from '../../../src/domain/outcome.ts';
import type { RunStatus } from '../../../src/domain/run.ts';
import { classes } from './classes.ts';

export type Tone = 'neutral' | 'good' | 'bad' | 'warn' | 'info';

const tones: Readonly<Record<Tone, string>> = {
  neutral: 'bg-raised text-muted',
  good: 'bg-pass-ground text-pass',
  bad: 'bg-fail-ground text-fail',
  warn: 'bg-error-ground text-error',
  info: 'bg-accent-ground text-accent',
};

/** A word or two for a state. */
export function Badge({ tone, icon, children }: { tone: Tone; icon?: ReactNode; children: ReactNode }) {
  return (
    <span
      className={classes(
        'inline-flex max-w-full items-center gap-1 rounded px-1.5 py-0.5 text-xs font-medium whitespace-nowrap',
        tones[tone],
      )}
    >
      {icon}
      {children}
    </span>
  );
}

/** How many of some checks passed. */
export function PassedBadge({ passed, all }: { passed: number; all: number }) {
  return (
    <Badge tone={passed === all ? 'good' : 'bad'}>
      {passed} of {all} passed
    </Badge>
  );
}

/** A word that was chosen, with a button that takes it away. */
export function Chip({ label, removeLabel, onRemove }: { label: string; removeLabel: string; onRemove: () => void }) {
  return (
    <span className="inline-flex max-w-full items-center gap-1 rounded-full border border-line bg-raised py-0.5 pr-1 pl-2.5 text-xs">
      <span className="truncate">{label}</span>
      <button
        type="button"
        aria-label={removeLabel}
        onClick={onRemove}
        className="rounded-full p-0.5 text-muted hover:text-ink"
      >
        <X size={12} aria-hidden />
      </button>
    </span>
  );
}

const outcomeTones: Readonly<Record<Outcome, Tone>> = { pass: 'good', fail: 'bad', error: 'warn', skipped: 'neutral' };
const outcomeIcons = { pass: Check, fail: X, error: TriangleAlert, skipped: Ban } as const;

/** How a trial or a run ended: by colour, sign and word. What Assay stood in for is beside it. */
export function OutcomeBadge({ outcome, marks = [] }: { outcome: Outcome; marks?: readonly string[] }) {
  const Icon = outcomeIcons[outcome];
  return (
    <>
      <Badge tone={outcomeTones[outcome]} icon={<Icon size={12} aria-hidden strokeWidth={2.5} />}>
        {outcome}
      </Badge>
      {marks.map((mark) => (
        <Badge key={mark} tone="warn">
          {mark}
        </Badge>
      ))}
    </>
  );
}

/** Where a run stands. One that says `running` and is not live was cut off. */
export function StatusBadge({ status, isLive }: { status: RunStatus; isLive: boolean }) {
  if (isLive && status === 'paused') return <Badge tone="info">paused</Badge>;
  if (isLive)
    return (
      <Badge tone="info" icon={<span aria-hidden className="size-1.5 animate-pulse rounded-full bg-accent" />}>
        running
      </Badge>
    );
  if (status === 'finished') return <Badge tone="neutral">finished</Badge>;
  return (
    <Badge tone="warn" icon={<CircleDashed size={12} aria-hidden />}>
      interrupted
    </Badge>
  );
}
