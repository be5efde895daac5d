import { ChevronRight, CornerDownRight } from 'lucide-react';
import type { TraceEvent } from '../../../../../src/domain/trace.ts';
import { Badge } from '../../../kit/badge.tsx';
import { classes } from '../../../kit/classes.ts';
import { DurationBar } from './duration-bar.tsx';
import { EntryIcon } from './entry-icon.tsx';
import { findMarks, type Wanted } from './find-marks.ts';
import { MarkedText } from './marked-text.tsx';
import { SeenBy } from './seen-by.tsx';
import type { TimelineEntry } from './timeline-entry.ts';

interface EventHeadProps {
  readonly entry: TimelineEntry;
  readonly event: TraceEvent;
  readonly isOpen: boolean;
  readonly lengthMs: number;
  readonly wanted: Wanted | undefined;
  readonly isSelected: boolean;
  readonly onToggle: () => void;
}

/** The line of an event, which opens what stands behind it. */
export function EventHead(props: EventHeadProps) {
  if (props.entry.blocks.length === 0) return <HeadLine {...props} isOpenable={false} />;
  return (
    <button
      type="button"
      tabIndex={props.isSelected ? 0 : -1}
      aria-expanded={props.isOpen}
      onClick={props.onToggle}
      className="-mx-1 rounded px-1 text-left hover:bg-raised/60"
    >
      <HeadLine {...props} isOpenable />
    </button>
  );
}

function HeadLine({ entry, event, isOpen, isOpenable, lengthMs, wanted }: EventHeadProps & { isOpenable: boolean }) {
  const { label, name, line, answer, ending, isProblem, durationMs, startMs, seenBy, look } = entry;
  const isSaid = look === 'speech' && isOpen;
  const isCode = look === 'call' || look === 'command';
  const isNamed = name !== undefined || event.type === 'command';
  return (
    <span className="flex min-w-0 flex-col">
      <span className="flex min-h-5 min-w-0 items-center gap-1.5">
        <EntryIcon event={event} isProblem={isProblem} />
        <span
          className={classes(
            isNamed ? 'sr-only' : 'shrink-0 text-xs',
            look === 'speech' ? 'font-semibold' : 'text-muted',
          )}
        >
          {label}
        </span>
        {name !== undefined && (
          <span className="max-w-[45%] shrink-0 truncate font-mono text-xs font-semibold">{name}</span>
        )}
        {!isSaid && (
          <span
            className={classes(
              'min-w-0 truncate',
              isCode ? 'font-mono text-xs' : 'text-sm',
              look === 'mark' && 'text-muted',
            )}
          >
            {look === 'command' && <span className="text-muted">$ </span>}
            <MarkedLine text={line} wanted={wanted} />
          </span>
        )}
        {ending !== undefined && <Badge tone={isProblem ? 'bad' : 'neutral'}>{ending}</Badge>}
        <span className="ml-auto flex shrink-0 items-center gap-2 pl-1">
          {durationMs !== undefined && durationMs > 0 && (
            <DurationBar startMs={startMs} durationMs={durationMs} lengthMs={lengthMs} />
          )}
          <SeenBy who={seenBy} />
          {isOpenable && (
            <ChevronRight
              size={13}
              aria-hidden
              className={classes('shrink-0 text-muted transition-transform', isOpen && 'rotate-90')}
            />
          )}
        </span>
      </span>
      {answer !== undefined && !isOpen && (
        <span className="flex min-w-0 items-center gap-1.5 pl-5 text-xs text-muted">
          <CornerDownRight size={12} aria-hidden className="shrink-0" />
          <span className={classes('truncate font-mono', isProblem && 'text-fail')}>
            <MarkedLine text={answer} wanted={wanted} />
          </span>
        </span>
      )}
    </span>
  );
}

function MarkedLine({ text, wanted }: { text: string; wanted: Wanted | undefined }) {
  return <MarkedText text={text} marks={wanted ? findMarks(text, wanted) : []} />;
}
