import { useVirtualizer } from '@tanstack/react-virtual';
import { useCallback, useRef } from 'react';
import { ErrorView } from '../../../kit/error-view.tsx';
import { EventRow } from './event-row.tsx';
import { isOpen, withRow } from './openness.ts';
import { lookOf } from './timeline-entry.ts';
import { useJump } from './use-jump.ts';
import { useMarkInView } from './use-mark-in-view.ts';
import { useTimelineCursor } from './use-timeline-cursor.ts';
import { useTraceEvents } from './use-trace-events.ts';
import type { TraceView } from './use-trace-view.ts';

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
  // The same function each time: with another one every row is placed anew.
  const getItemKey = useCallback((row: number) => rows.eventAt(row), [rows]);
  const virtualizer = useVirtualizer<HTMLDivElement, Element>({
    count: rows.count,
    getScrollElement: () => box.current,
    estimateSize,
    getItemKey,
    overscan: 6,
  });
  const items = virtualizer.getVirtualItems();
  const near = [pointedAt ?? 0, ...items.map(({ index }) => rows.eventAt(index))];
  const loaded = useTraceEvents(trialId, total, near);
  const { selected, setSelected } = useTimelineCursor({ box, virtualizer, view, loaded });
  const target = useJump({ pointedAt, visit, view, loaded, virtualizer, onJump: setSelected });
  useMarkInView(box, quote && target !== undefined ? `${visit} ${target}` : undefined);
  const toggle = useCallback(
    (index: number, isRowOpen: boolean) => setOpenness((before) => withRow(before, index, isRowOpen)),
    [setOpenness],
  );
  return (
    <div ref={box} className="min-h-0 flex-1 overflow-y-auto overscroll-contain">
      {loaded.error && <ErrorView error={loaded.error} />}
      <div
        role="feed"
        aria-label="Events"
        aria-busy={loaded.events.size === 0}
        className="relative"
        style={{ height: virtualizer.getTotalSize() }}
      >
        {items.map((item) => {
          const index = rows.eventAt(item.index);
          const placed = loaded.events.get(index);
          return (
            <div
              key={item.key}
              ref={virtualizer.measureElement}
              data-index={item.index}
              style={{ transform: `translateY(${item.start}px)` }}
              className="absolute top-0 left-0 w-full"
            >
              {!placed && <div style={{ height: estimatedRowPx }} className="border-b border-line/70" />}
              {placed && !loaded.callOf.has(index) && (
                <EventRow
                  trialId={trialId}
                  placed={placed}
                  result={loaded.resultOf.get(index)}
                  position={item.index + 1}
                  count={rows.count}
                  lengthMs={lengthMs}
                  isLinked={isLinked}
                  isRowOpen={isOpen(openness, index, lookOf(placed.event))}
                  isSelected={selected === undefined ? item.index === 0 : selected === index}
                  isPointedAt={target === index}
                  wanted={target === index && quote ? quote : words}
                  onToggle={toggle}
                  onSelect={setSelected}
                />
              )}
            </div>
          );
        })}
      </div>
    </div>
  );
}
