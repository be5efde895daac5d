import { counted } from '../../../src/shared/format.ts';

export interface OutcomeTotals {
  readonly planned: number;
  readonly pass: number;
  readonly fail: number;
  readonly error: number;
  readonly skipped: number;
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
    ...(totals.skipped > 0 ? [`${totals.skipped} not run`] : []),
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
