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
import { type PlacedEvent, type TraceViewKind, timelineEntry } from './timeline.ts';
import { useWholeEvents } from './use-trace.ts';
import { WaterfallHead } from './waterfall.tsx';

/** An event as a row shows it, with the answer to it where it is a call. */
export interface ShownEvent {
  readonly placed: PlacedEvent;
  readonly result: PlacedEvent | undefined;
  readonly isOpen: boolean;
  readonly isPointedAt: boolean;
  readonly wanted: Wanted | undefined;
}

interface EventRowProps {
  readonly trialId: string;
  readonly placed: PlacedEvent;
  readonly result: PlacedEvent | undefined;
  /** Commands and MCP calls that the recorder saw of this call. */
  readonly recorded: readonly ShownEvent[];
  readonly kind: TraceViewKind;
  readonly position: number;
  readonly count: number;
  readonly lengthMs: number;
  /** False where no event has a time, as in transcripts without a clock. */
  readonly isTimed: boolean;
  readonly isLinked: boolean;
  readonly isRowOpen: boolean;
  readonly isSelected: boolean;
  readonly isPointedAt: boolean;
  readonly wanted: Wanted | undefined;
  readonly onToggle: (index: number, isOpen: boolean) => void;
  readonly onSelect: (index: number) => void;
}

/** One event of the timeline, with what was recorded of it. */
export const EventRow = memo(function EventRow(props: EventRowProps) {
  const { trialId, placed, result, recorded, isRowOpen, isSelected, isPointedAt, wanted, onSelect } = props;
  const entry = useMemo(() => entryOf(placed, result), [placed, result]);
  const selectOnFocus = ({ currentTarget, target }: FocusEvent): void => {
    if (currentTarget.contains(target)) onSelect(placed.index);
  };
  const event = { placed, result, isOpen: isRowOpen, isPointedAt, wanted };
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
        <span>{formatDuration(props.isTimed ? entry.startMs : null)}</span>
      </div>
      <div className="flex min-w-0 flex-col gap-1.5">
        <EventPart {...props} shown={event} />
        {recorded.length > 0 && <RecordedEvents {...props} line={entry.line} />}
      </div>
    </article>
  );
});

/** The recorder’s view of a call: commands as they ran, MCP calls as they arrived. */
function RecordedEvents(props: EventRowProps & { readonly line: string }) {
  return (
    <ul aria-label="Recorded of this call" className="flex flex-col gap-1 border-l-2 border-edge/50 pl-2">
      {props.recorded.map((shown) => (
        <li
          key={shown.placed.index}
          aria-current={shown.isPointedAt || undefined}
          className={classes('flex min-w-0 flex-col gap-1.5', shown.isPointedAt && 'rounded bg-accent-ground/60')}
        >
          <EventPart {...props} shown={shown} lineAbove={props.line} />
        </li>
      ))}
    </ul>
  );
}

interface EventPartProps
  extends Pick<EventRowProps, 'trialId' | 'kind' | 'lengthMs' | 'isLinked' | 'isSelected' | 'onToggle'> {
  readonly shown: ShownEvent;
  /** Of a recorded event: the line of its call, which is not repeated. */
  readonly lineAbove?: string;
}

/** The line of an event, and what stands behind it. */
function EventPart({ shown, lineAbove, ...props }: EventPartProps) {
  const { trialId, kind, lengthMs, isSelected, onToggle } = props;
  const { placed, isOpen, wanted } = shown;
  const [isWholeWanted, setIsWholeWanted] = useState(false);
  const { event, result, isLoading, error } = useWholeEvents(
    trialId,
    placed,
    shown.result,
    isWholeWanted || isQuoteCut(shown),
  );
  const entry = useMemo(() => entryOf(event, result, lineAbove), [event, result, lineAbove]);
  const isCut = event.isCut || result?.isCut === true;
  const Head = kind === 'waterfall' ? WaterfallHead : EventHead;
  const head = {
    ...{ entry, event: event.event, isOpen, lengthMs, wanted, isSelected },
    onToggle: () => onToggle(placed.index, !isOpen),
  };
  const isRecorded = lineAbove !== undefined;
  return (
    <>
      <div className={classes('min-w-0', isRecorded && 'flex items-start gap-2')}>
        {isRecorded && (
          <span className="flex h-5 w-9 shrink-0 items-center text-2xs text-muted">
            <EventLink trialId={trialId} index={placed.index} isLinked={props.isLinked} isSelected={isSelected} />
          </span>
        )}
        <div className="flex min-w-0 flex-1 flex-col">
          <Head {...head} />
        </div>
      </div>
      {isOpen && <EventText entry={entry} kind={kind} wanted={wanted} />}
      {isOpen && isCut && (
        <div>
          <Button size="sm" isBusy={isLoading} onClick={() => setIsWholeWanted(true)}>
            Long texts are cut in the middle; show all
          </Button>
        </div>
      )}
      {error && <ErrorView error={error} />}
    </>
  );
}

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
      search={(previous) => changedSearch(previous, { event: name, quote: undefined })}
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
  readonly kind: TraceViewKind;
  readonly wanted: Wanted | undefined;
}

function EventText({ entry, kind, wanted }: EventTextProps) {
  if (entry.look !== 'speech') return <EventBlocks blocks={entry.blocks} wanted={wanted} />;
  const isOwnSide = kind === 'chat' && entry.label === 'user';
  return (
    <div
      className={classes('flex min-w-0', isOwnSide && 'justify-end pl-10', kind === 'chat' && !isOwnSide && 'pr-10')}
    >
      <SpokenText text={entry.blocks[0]?.text ?? ''} role={entry.label} wanted={wanted} />
    </div>
  );
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
function isQuoteCut({ placed, result, wanted, isOpen }: ShownEvent): boolean {
  if (!wanted?.isQuote || !isOpen || !(placed.isCut || result?.isCut)) return false;
  const { blocks } = entryOf(placed, result);
  return blocks.every(({ text }) => findMarks(text, wanted).length === 0);
}

function entryOf({ event }: PlacedEvent, result: PlacedEvent | undefined, lineAbove?: string) {
  const entry = timelineEntry(event, result?.event.type === 'tool-result' ? result.event : undefined);
  return entry.line !== '' && entry.line === lineAbove ? { ...entry, line: '(as recorded)' } : entry;
}
