import { useVirtualizer } from '@tanstack/react-virtual';
import { Activity } from 'lucide-react';
import { useCallback, useRef } from 'react';
import { usePageKeys } from '../../../app/keys.ts';
import { EmptyState, ErrorView } from '../../../kit/page.tsx';
import type { TrialAddress } from '../use-trial-address.ts';
import { EventRow } from './event-row.tsx';
import { hitNumber, nextHit } from './marks.ts';
import { isOpen, lookOf, withRow } from './timeline.ts';
import { TraceToolbar } from './trace-toolbar.tsx';
import { useJump, useMarkInView, useTimelineCursor } from './use-cursor.ts';
import { type TraceView, useTraceEvents, useTraceView } from './use-trace.ts';

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
function TraceList({ trialId, total, lengthMs, view, pointedAt, visit, isLinked = true }: TraceListProps) {
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

interface TracePanelProps {
  readonly trialId: string;
  readonly total: number;
  readonly lengthMs: number;
  readonly address: TrialAddress;
  /** On a page that must not reveal how the trial ended and that has its own keys. */
  readonly isBlind?: boolean;
}

/** The trace as a timeline that can be searched, filtered and walked through. */
export function TracePanel({ trialId, total, lengthMs, address, isBlind = false }: TracePanelProps) {
  const { search, visit, change } = address;
  const view = useTraceView(trialId, total, search);
  const { hits, rows, groups, setOpenness } = view;
  const toHit = (direction: 1 | -1): void => {
    const event = nextHit(hits ?? [], search.event, direction);
    if (event !== undefined) change({ event, quote: undefined });
  };
  const toPreviousHit = (): void => toHit(-1);
  usePageKeys(isBlind ? {} : { n: () => toHit(1), N: toPreviousHit });
  if (total === 0) return <EmptyState icon={<Activity size={20} />} title="Nothing was recorded in this trial" />;
  return (
    <section aria-label="Trace" className="flex h-full min-h-0 flex-col">
      <TraceToolbar
        total={total}
        shown={rows.count}
        isShownComplete={view.areRowsComplete}
        find={search.text ?? ''}
        hits={hits && { count: hits.length, number: hitNumber(hits, search.event), isComplete: view.areHitsComplete }}
        groups={groups}
        onFind={(text) => change({ text: text === '' ? undefined : text })}
        onHit={toHit}
        onGroups={(chosen) => change({ type: chosen.length === 0 ? undefined : chosen.join(',') })}
        onOpenAll={() => setOpenness(() => ({ rule: 'all', exceptions: new Map() }))}
        onCloseAll={() => setOpenness(() => ({ rule: 'none', exceptions: new Map() }))}
      />
      <TraceList
        trialId={trialId}
        total={total}
        lengthMs={lengthMs}
        view={view}
        pointedAt={search.event !== undefined && search.event < total ? search.event : undefined}
        visit={visit}
        isLinked={!isBlind}
      />
    </section>
  );
}
