import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useCallback, useMemo, useRef } from 'react';
import { EmptyState, ErrorView } from '../../../kit/page.tsx';
import { EventRow, type ShownEvent } from './event-row.tsx';
import { isOpen, lookOf, withRow } from './timeline.ts';
import { isFolded, useJump, useMarkInView, useTimelineCursor } from './use-cursor.ts';
import { type LoadedTrace, type TraceView, useTraceEvents } from './use-trace.ts';
import { WaterfallAxis } from './waterfall.tsx';

const estimatedRowPx = 38;
const estimateSize = (): number => estimatedRowPx;

interface TraceListProps {
  readonly trialId: string;
  readonly total: number;
  readonly lengthMs: number;
  readonly view: TraceView;
  /** The event that the address points at. */
  readonly pointedAt: number | undefined;
  /** Another value after each visit to an address, the same one included. */
  readonly visit: string;
  /** Whether events lead to their place on the page of the trial. */
  readonly isLinked?: boolean;
}

/** The events of a trial in order; only those in view are drawn, and only those near it are loaded. */
export function TraceList({ trialId, total, lengthMs, view, pointedAt, visit, isLinked = true }: TraceListProps) {
  const { rows, openness, setOpenness, words, quote } = view;
  const box = useRef<HTMLDivElement>(null);
  // The same function each time: another one would make every row be placed again.
  const getItemKey = useCallback((row: number) => rows.eventAt(row), [rows]);
  const virtualizer = useVirtualizer<HTMLDivElement, Element>({
    count: rows.count,
    getScrollElement: () => box.current,
    estimateSize,
    getItemKey,
    overscan: 6,
  });
  const near = [pointedAt ?? 0, ...virtualizer.getVirtualItems().map(({ index }) => rows.eventAt(index))];
  const loaded = useTraceEvents(trialId, total, near);
  const { selected, setSelected } = useTimelineCursor({ box, virtualizer, view, loaded });
  const target = useJump({ pointedAt, visit, view, loaded, virtualizer, onJump: setSelected });
  useMarkInView(box, quote && target !== undefined ? `${visit} ${target}` : undefined);
  const isTimed = useMemo(() => [...loaded.events.values()].some(({ event }) => event.at > 0), [loaded]);
  const spanMs = useMemo(() => spanOf(loaded, lengthMs), [loaded, lengthMs]);
  const toggle = useCallback(
    (index: number, isRowOpen: boolean) => setOpenness((before) => withRow(before, index, isRowOpen)),
    [setOpenness],
  );
  const eventRow = (row: number) => {
    const index = rows.eventAt(row);
    const placed = loaded.events.get(index);
    if (!placed) return <div style={{ height: estimatedRowPx }} className="border-b border-line/70" />;
    if (isFolded(index, rows, loaded)) return null;
    const shownWith = { openness, target, words, quote };
    return (
      <EventRow
        trialId={trialId}
        placed={placed}
        result={loaded.resultOf.get(index)}
        recorded={recordedOf(loaded, index, shownWith)}
        kind={view.kind}
        position={row + 1}
        count={rows.count}
        lengthMs={spanMs}
        isTimed={isTimed}
        isLinked={isLinked}
        isRowOpen={isOpen(openness, index, lookOf(placed.event))}
        isSelected={selected === undefined ? row === 0 : selected === index}
        isPointedAt={target === index}
        wanted={target === index && quote ? quote : words}
        onToggle={toggle}
        onSelect={setSelected}
      />
    );
  };
  return (
    <div ref={box} className="@container min-h-0 flex-1 overflow-y-auto overscroll-contain">
      {loaded.error && <ErrorView error={loaded.error} />}
      {view.kind === 'waterfall' && isTimed && <WaterfallAxis lengthMs={spanMs} />}
      {rows.count === 0 && <EmptyState title={`Nothing to show in this ${view.kind}`} />}
      <EventFeed virtualizer={virtualizer} isBusy={loaded.events.size === 0} eventRow={eventRow} />
    </div>
  );
}

/** The same list each time where nothing was recorded, so rows need not be drawn again. */
const nothing: readonly ShownEvent[] = [];

interface ShownWith extends Pick<TraceView, 'openness' | 'words' | 'quote'> {
  readonly target: number | undefined;
}

function recordedOf(loaded: LoadedTrace, index: number, { openness, target, words, quote }: ShownWith) {
  const recorded = loaded.recordedOf.get(index);
  if (!recorded) return nothing;
  return recorded.map((placed) => ({
    placed,
    result: loaded.resultOf.get(placed.index),
    isOpen: isOpen(openness, placed.index, lookOf(placed.event)),
    isPointedAt: target === placed.index,
    wanted: target === placed.index && quote ? quote : words,
  }));
}

/** The length of the time axis: of the trial, or to the last event where that is later or not known. */
function spanOf({ events }: LoadedTrace, lengthMs: number): number {
  let span = lengthMs;
  for (const { event } of events.values()) span = Math.max(span, event.at);
  return span;
}

interface EventFeedProps {
  readonly virtualizer: Virtualizer<HTMLDivElement, Element>;
  readonly isBusy: boolean;
  readonly eventRow: (row: number) => ReactNode;
}

/** The rows in view, each at its place. */
function EventFeed({ virtualizer, isBusy, eventRow }: EventFeedProps) {
  const rows = virtualizer.getVirtualItems();
  return (
    <div
      role="feed"
      aria-label="Events"
      aria-busy={isBusy || rows.length === 0}
      className="relative"
      style={{ height: virtualizer.getTotalSize() }}
    >
      {rows.map((item) => (
        <div
          key={item.key}
          ref={virtualizer.measureElement}
          data-index={item.index}
          style={{ transform: `translateY(${item.start}px)` }}
          className="absolute top-0 left-0 w-full"
        >
          {eventRow(item.index)}
        </div>
      ))}
    </div>
  );
}
