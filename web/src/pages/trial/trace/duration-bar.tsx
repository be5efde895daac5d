import { formatDuration } from '../../../../../src/shared/format.ts';

/** When something began and how long it took, on the time of the whole trial. */
export function DurationBar({
  startMs,
  durationMs,
  lengthMs,
}: {
  startMs: number;
  durationMs: number;
  lengthMs: number;
}) {
  const share = (ms: number): number => Math.min(100, Math.max(0, (ms / Math.max(lengthMs, 1)) * 100));
  const x = Math.min(share(startMs), 98);
  return (
    <span className="flex shrink-0 items-center gap-2 text-xs text-muted tabular-nums">
      <svg
        viewBox="0 0 100 6"
        preserveAspectRatio="none"
        aria-hidden="true"
        className="hidden h-1.5 w-16 rounded-full bg-raised sm:block"
      >
        <rect
          x={x}
          y={0}
          width={Math.max(2, Math.min(share(durationMs), 100 - x))}
          height={6}
          className="fill-accent"
        />
      </svg>
      <span className="w-14 text-right">{formatDuration(durationMs)}</span>
    </span>
  );
}
