import { formatDuration } from '../../../../../src/shared/format.ts';
import { Badge } from '../../../kit/badge.tsx';
import { classes } from '../../../kit/classes.ts';
import { EntryIcon, type EventHeadProps, MarkedLine, UnknownDuration } from './event-head.tsx';
import type { TimelineEntry } from './timeline.ts';

/** The columns of the waterfall: what it was, when it ran, how long it took. */
const columns = 'grid grid-cols-[minmax(0,1fr)_45cqw_3.5rem] items-center gap-2';
const ticks = [0, 0.25, 0.5, 0.75, 1];

/** The time axis of the waterfall, above its rows. */
export function WaterfallAxis({ lengthMs }: { lengthMs: number }) {
  return (
    <div
      aria-hidden
      className="sticky top-0 z-[1] grid grid-cols-1 gap-x-2 border-b border-line bg-surface px-3 py-1 sm:grid-cols-[5.75rem_minmax(0,1fr)]"
    >
      <span className="hidden sm:block" />
      <span className={columns}>
        <span />
        <span className="relative h-4 text-2xs text-muted tabular-nums">
          {ticks.map((share) => (
            <span
              key={share}
              style={{ left: `${share * 100}%` }}
              className={classes(
                'absolute top-0 whitespace-nowrap',
                share === 1 ? '-translate-x-full' : share > 0 && '-translate-x-1/2',
                share !== 0 && share !== 1 && 'max-sm:hidden',
              )}
            >
              {formatDuration(lengthMs * share)}
            </span>
          ))}
        </span>
        <span />
      </span>
    </div>
  );
}

/** The line of an event in the waterfall: a bar from its start to its end. */
export function WaterfallHead({ entry, event, isOpen, lengthMs, wanted, isSelected, onToggle }: EventHeadProps) {
  const { label, name, line, ending, isProblem, durationMs } = entry;
  return (
    <button
      type="button"
      tabIndex={isSelected ? 0 : -1}
      aria-expanded={isOpen}
      onClick={onToggle}
      className={classes(columns, '-mx-1 min-h-5 rounded px-1 text-left hover:bg-raised/60')}
    >
      <span className="flex min-w-0 items-center gap-1.5 text-xs">
        <EntryIcon event={event} isProblem={isProblem} />
        <span className="sr-only">{label} </span>
        <span className="min-w-0 truncate font-mono">
          {name !== undefined && <span className="font-semibold">{name} </span>}
          <MarkedLine text={line} wanted={wanted} />
        </span>
        {isProblem && ending !== undefined && <Badge tone="bad">{ending}</Badge>}
      </span>
      <Bar entry={entry} lengthMs={lengthMs} />
      <span className="text-right text-2xs text-muted tabular-nums">
        {durationMs === undefined ? <UnknownDuration /> : formatDuration(durationMs)}
      </span>
    </button>
  );
}

function Bar({ entry, lengthMs }: { entry: TimelineEntry; lengthMs: number }) {
  const { startMs, durationMs, isProblem, seenBy } = entry;
  const share = (ms: number): number => Math.min(100, Math.max(0, (ms / Math.max(lengthMs, 1)) * 100));
  const left = Math.min(share(startMs), 99.5);
  const colour = isProblem ? 'bg-fail' : seenBy === 'agent' ? 'bg-accent' : 'bg-edge';
  const width = durationMs === undefined ? undefined : Math.min(share(durationMs), 100 - left);
  return (
    <span aria-hidden className="relative block h-3 rounded-xs bg-raised/70">
      {width === undefined ? (
        <span style={{ left: `${left}%` }} className={classes('absolute inset-y-0 w-px', colour)} />
      ) : (
        <span
          style={{ left: `${left}%`, width: `${width}%` }}
          className={classes('absolute inset-y-0 min-w-0.5 rounded-xs', colour)}
        />
      )}
    </span>
  );
}
