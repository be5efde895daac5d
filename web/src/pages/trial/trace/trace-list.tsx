import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useCallback, useRef } from 'react';
import { ErrorView } from '../../../kit/page.tsx';
import { EventRow } from './event-row.tsx';
import { isOpen, lookOf, withRow } from './timeline.ts';
import { useJump, useMarkInView, useTimelineCursor } from './use-cursor.ts';
import { type TraceView, useTraceEvents } from './use-trace.ts';

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
  const toggle = useCallback(
    (index: number, isRowOpen: boolean) => setOpenness((before) => withRow(before, index, isRowOpen)),
    [setOpenness],
  );
  const eventRow = (row: number) => {
    const index = rows.eventAt(row);
    const placed = loaded.events.get(index);
    if (!placed) return <div style={{ height: estimatedRowPx }} className="border-b border-line/70" />;
    if (loaded.callOf.has(index)) return null;
    return (
      <EventRow
        trialId={trialId}
        placed={placed}
        result={loaded.resultOf.get(index)}
        position={row + 1}
        count={rows.count}
        lengthMs={lengthMs}
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
    <div ref={box} className="min-h-0 flex-1 overflow-y-auto overscroll-contain">
      {loaded.error && <ErrorView error={loaded.error} />}
      <EventFeed virtualizer={virtualizer} isBusy={loaded.events.size === 0} eventRow={eventRow} />
    </div>
  );
}

interface EventFeedProps {
  readonly virtualizer: Virtualizer<HTMLDivElement, Element>;
  readonly isBusy: boolean;
  readonly eventRow: (row: number) => ReactNode;
}

/** The rows in view, each at its place. */
function EventFeed({ virtualizer, isBusy, eventRow }: EventFeedProps) {
  return (
    <div
      role="feed"
      aria-label="Events"
      aria-busy={isBusy}
      className="relative"
      style={{ height: virtualizer.getTotalSize() }}
    >
      {virtualizer.getVirtualItems().map((item) => (
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
