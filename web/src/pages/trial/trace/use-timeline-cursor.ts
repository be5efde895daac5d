import type { Virtualizer } from '@tanstack/react-virtual';
import { type RefObject, useEffect, useRef, useState } from 'react';
import { usePageKeys } from '../use-page-keys.ts';
import { isOpen, withRow } from './openness.ts';
import { lookOf } from './timeline-entry.ts';
import type { LoadedTrace } from './use-trace-events.ts';
import type { TraceView } from './use-trace-view.ts';

interface Timeline {
  readonly box: RefObject<HTMLElement | null>;
  readonly virtualizer: Virtualizer<HTMLDivElement, Element>;
  readonly view: TraceView;
  readonly loaded: LoadedTrace;
}

/** The event that is chosen. `j` and `k` move to the next and the previous one, Enter opens and closes it. */
export function useTimelineCursor({ box, virtualizer, view, loaded }: Timeline) {
  const { rows, openness, setOpenness } = view;
  const [selected, setSelected] = useState<number>();
  const focusNext = useRef<number>(undefined);
  useEffect(() => {
    const wanted = box.current?.querySelector<HTMLElement>(`[data-event="${focusNext.current}"]`);
    if (!wanted) return;
    focusNext.current = undefined;
    wanted.focus({ preventScroll: true });
    wanted.scrollIntoView({ block: 'nearest' });
  });
  const move = (event: KeyboardEvent, direction: 1 | -1): void => {
    event.preventDefault();
    const from = selected === undefined ? undefined : rows.rowOf(selected);
    const firstShown = virtualizer.getVirtualItemForOffset(virtualizer.scrollOffset ?? 0)?.index ?? 0;
    const row = from === undefined ? firstShown : rows.neighbour(from, direction, (index) => loaded.callOf.has(index));
    setSelected(rows.eventAt(row));
    focusNext.current = rows.eventAt(row);
    virtualizer.scrollToIndex(row, { align: 'auto' });
  };
  const toggle = (event: KeyboardEvent): void => {
    const placed = selected === undefined ? undefined : loaded.events.get(selected);
    const isElsewhere = event.target instanceof Element && event.target.closest('a, button, summary') !== null;
    if (!placed || isElsewhere) return;
    const isRowOpen = isOpen(openness, placed.index, lookOf(placed.event));
    setOpenness((before) => withRow(before, placed.index, !isRowOpen));
  };
  usePageKeys({ j: (event) => move(event, 1), k: (event) => move(event, -1), Enter: toggle, o: toggle });
  return { selected, setSelected };
}
