import type { PointerEvent } from 'react';
import { percentText } from '../../../src/report/presentation/figures.ts';
import { costText, counted, formatDuration, grouped } from '../../../src/shared/format.ts';
import { agoText, fullTimeText, useNow } from './when-text.ts';

/** When something happened: how long ago, and in full when pointed at. */
export function When({ at }: { at: number }) {
  const now = useNow(30_000);
  const showInFull = (event: PointerEvent<HTMLTimeElement>): void => {
    event.currentTarget.title = fullTimeText(at);
  };
  return (
    <time dateTime={isoText(at)} onPointerEnter={showInFull} className="whitespace-nowrap">
      {agoText(at, now)}
    </time>
  );
}

/** How long something took. */
export function Duration({ ms }: { ms: number | null }) {
  return <Figure text={ms === null ? null : formatDuration(ms)} />;
}

/** A cost. */
export function Money({ usd }: { usd: number | null }) {
  return <Figure text={usd === null ? null : costText(usd)} />;
}

/** A share. */
export function Percent({ value }: { value: number | null }) {
  return <Figure text={value === null ? null : percentText(value)} />;
}

/** How many. */
export function Count({ value }: { value: number | null }) {
  return <Figure text={value === null ? null : grouped(value)} />;
}

function Figure({ text }: { text: string | null }) {
  if (text === null)
    return (
      <span className="text-muted" title="not known">
        –
      </span>
    );
  return <span className="whitespace-nowrap tabular-nums">{text}</span>;
}

function isoText(at: number): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? '' : date.toISOString();
}

export interface OutcomeTotals {
  readonly planned: number;
  readonly pass: number;
  readonly fail: number;
  readonly error: number;
  readonly skipped: number;
  readonly notRun: number;
}

const parts = [
  { key: 'pass', look: 'fill-pass' },
  { key: 'fail', look: 'fill-fail' },
  { key: 'error', look: 'fill-error' },
] as const;

/** How the trials of something ended, as one bar; what is left is empty. */
export function OutcomeBar({ totals, height = 8 }: { totals: OutcomeTotals; height?: number }) {
  const words = [
    ...parts.filter(({ key }) => totals[key] > 0).map(({ key }) => `${totals[key]} ${key}`),
    ...(totals.skipped > 0 ? [`${totals.skipped} without a verdict`] : []),
    ...(totals.notRun > 0 ? [`${totals.notRun} not run`] : []),
  ].join(', ');
  let x = 0;
  return (
    <svg
      role="img"
      aria-label={`${words || 'nothing'} of ${counted(totals.planned, 'trial')}`}
      viewBox="0 0 100 10"
      preserveAspectRatio="none"
      height={height}
      className="block w-full min-w-12 overflow-hidden rounded-full"
    >
      <title>{words}</title>
      <rect width={100} height={10} className="fill-line" />
      {parts.map(({ key, look }) => {
        const width = totals.planned === 0 ? 0 : (totals[key] / totals.planned) * 100;
        const start = x;
        x += width;
        return <rect key={key} x={start} width={width} height={10} className={look} />;
      })}
    </svg>
  );
}
