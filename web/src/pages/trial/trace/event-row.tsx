import { Link } from '@tanstack/react-router';
import { type FocusEvent, memo, useMemo, useState } from 'react';
import type { EventBlock } from '../../../../../src/report/presentation/event-view.ts';
import { formatDuration, grouped } from '../../../../../src/shared/format.ts';
import { Button } from '../../../kit/button.tsx';
import { classes } from '../../../kit/classes.ts';
import { DiffBlock } from '../../../kit/code.tsx';
import { ErrorView } from '../../../kit/page.tsx';
import { changedSearch, eventName } from '../use-trial-address.ts';
import { EventHead } from './event-head.tsx';
import { LongText, MarkedText } from './long-text.tsx';
import { findMarks, type Wanted } from './marks.ts';
import { type PlacedEvent, timelineEntry } from './timeline.ts';
import { useWholeEvents } from './use-trace.ts';

interface EventRowProps {
  readonly trialId: string;
  readonly placed: PlacedEvent;
  readonly result: PlacedEvent | undefined;
  readonly position: number;
  readonly count: number;
  readonly lengthMs: number;
  readonly isLinked: boolean;
  readonly isRowOpen: boolean;
  readonly isSelected: boolean;
  readonly isPointedAt: boolean;
  readonly wanted: Wanted | undefined;
  readonly onToggle: (index: number, isOpen: boolean) => void;
  readonly onSelect: (index: number) => void;
}

/** One event of the timeline, with the answer to it where it is a call. */
export const EventRow = memo(function EventRow(props: EventRowProps) {
  const { trialId, placed, isRowOpen, isSelected, isPointedAt, wanted, lengthMs, onToggle, onSelect } = props;
  const [isWholeWanted, setIsWholeWanted] = useState(false);
  const { event, result, isLoading, error } = useWholeEvents(
    trialId,
    placed,
    props.result,
    isWholeWanted || isQuoteCut(props),
  );
  const entry = useMemo(() => entryOf(event, result), [event, result]);
  const isCut = event.isCut || result?.isCut === true;
  const selectOnFocus = ({ currentTarget, target }: FocusEvent): void => {
    if (currentTarget.contains(target)) onSelect(placed.index);
  };
  return (
    <article
      aria-label={`${eventName(placed.index)}, ${entry.label}`}
      aria-posinset={props.position}
      aria-setsize={props.count}
      aria-current={isPointedAt || undefined}
      tabIndex={isSelected ? 0 : -1}
      data-event={placed.index}
      onFocus={selectOnFocus}
      className={classes(
        'grid grid-cols-1 gap-x-2 border-b border-line/70 px-3 sm:grid-cols-[5.75rem_minmax(0,1fr)]',
        entry.look === 'mark' ? 'py-1' : 'py-1.5',
        isSelected && 'shadow-[inset_2px_0_var(--color-accent)]',
        entry.look === 'injected' && !isPointedAt && 'bg-error-ground/40',
        isPointedAt && 'bg-accent-ground/60',
      )}
    >
      <div className="flex h-5 items-center justify-between gap-2 text-2xs text-muted tabular-nums">
        <EventLink trialId={trialId} index={placed.index} isLinked={props.isLinked} isSelected={isSelected} />
        <span>{formatDuration(entry.startMs)}</span>
      </div>
      <div className="flex min-w-0 flex-col gap-1.5">
        <EventHead
          entry={entry}
          event={event.event}
          isOpen={isRowOpen}
          lengthMs={lengthMs}
          wanted={wanted}
          isSelected={isSelected}
          onToggle={() => onToggle(placed.index, !isRowOpen)}
        />
        {isRowOpen && <EventText entry={entry} wanted={wanted} />}
        {isRowOpen && isCut && (
          <div>
            <Button size="sm" isBusy={isLoading} onClick={() => setIsWholeWanted(true)}>
              Long texts are cut in the middle; show all
            </Button>
          </div>
        )}
        {error && <ErrorView error={error} />}
      </div>
    </article>
  );
});

interface EventLinkProps extends Pick<EventRowProps, 'trialId' | 'isLinked' | 'isSelected'> {
  readonly index: number;
}

/** The name of an event; on the page of the trial it leads to the address of the event. */
function EventLink({ trialId, index, isLinked, isSelected }: EventLinkProps) {
  const name = eventName(index);
  if (!isLinked) return <span className="font-mono">{name}</span>;
  return (
    <Link
      to="/trials/$trialId"
      params={{ trialId }}
      search={(previous) => changedSearch(previous, { event: index, quote: undefined })}
      replace
      resetScroll={false}
      tabIndex={isSelected ? 0 : -1}
      aria-label={`Link to event ${name}`}
      className="rounded font-mono hover:text-accent hover:underline"
    >
      {name}
    </Link>
  );
}

interface EventTextProps {
  readonly entry: ReturnType<typeof timelineEntry>;
  readonly wanted: Wanted | undefined;
}

function EventText({ entry, wanted }: EventTextProps) {
  if (entry.look !== 'speech') return <EventBlocks blocks={entry.blocks} wanted={wanted} />;
  return <SpokenText text={entry.blocks[0]?.text ?? ''} role={entry.label} wanted={wanted} />;
}

/** The details of an event: its input, its output, its diff. */
function EventBlocks({ blocks, wanted }: { blocks: readonly EventBlock[]; wanted: Wanted | undefined }) {
  return (
    <div className="flex flex-col gap-2">
      {blocks.map(({ label, text, isDiff }, index) => (
        <div key={`${index + 1} ${label}`} className="min-w-0">
          {label !== '' && <div className="mb-0.5 text-2xs tracking-wide text-muted uppercase">{label}</div>}
          {isDiff ? <DiffBlock text={text} /> : <LongText text={text} label={label || 'text'} wanted={wanted} />}
        </div>
      ))}
    </div>
  );
}

/** So much of a message is read at once. */
const readAtOnce = 1_500;

/** The text of a message: short text as it is, long text behind a button. */
function SpokenText({ text, role, wanted }: { text: string; role: string; wanted: Wanted | undefined }) {
  const [isWhole, setIsWhole] = useState(false);
  const marks = useMemo(() => (wanted ? findMarks(text, wanted) : []), [text, wanted]);
  const isHidden = marks.some(({ end }) => end > readAtOnce);
  if (text.length > readAtOnce && (isWhole || (isHidden && wanted?.isQuote)))
    return <LongText text={text} label="message" wanted={wanted} />;
  return (
    <div
      className={classes(
        'mb-1 w-fit max-w-full min-w-0 rounded-md px-3 py-1.5',
        role === 'user' ? 'bg-accent-ground/60' : 'bg-raised/60',
      )}
    >
      <p className="whitespace-pre-wrap">
        <MarkedText text={text.slice(0, readAtOnce)} marks={marks} />
        {text.length > readAtOnce && '…'}
      </p>
      {text.length > readAtOnce && (
        <Button size="sm" className="mt-1" onClick={() => setIsWhole(true)}>
          Show all {grouped(text.length)} characters
        </Button>
      )}
    </div>
  );
}

/** A quote that is not in what is left of a cut text stands in the part that is missing. */
function isQuoteCut({ placed, result, wanted, isRowOpen }: EventRowProps): boolean {
  if (!wanted?.isQuote || !isRowOpen || !(placed.isCut || result?.isCut)) return false;
  const { blocks } = entryOf(placed, result);
  return blocks.every(({ text }) => findMarks(text, wanted).length === 0);
}

function entryOf({ event }: PlacedEvent, result: PlacedEvent | undefined) {
  return timelineEntry(event, result?.event.type === 'tool-result' ? result.event : undefined);
}
