import type { Virtualizer } from '@tanstack/react-virtual';
import { type RefObject, useEffect, useRef, useState } from 'react';
import { usePageKeys } from '../../../app/keys.ts';
import { isOpen, lookOf, rowEventOf, withRow } from './timeline.ts';
import type { LoadedTrace, TraceView } from './use-trace.ts';

interface Jump {
  readonly pointedAt: number | undefined;
  /** Another value after each visit to an address, the same one included. */
  readonly visit: string;
  readonly view: TraceView;
  readonly loaded: LoadedTrace;
  readonly virtualizer: Virtualizer<HTMLDivElement, Element>;
  readonly onJump: (index: number) => void;
}

/** Opens the event that the address points at and scrolls to its row; returns the event: a result is in its call. */
export function useJump({ pointedAt, visit, view, loaded, virtualizer, onJump }: Jump): number | undefined {
  const { rows, setOpenness } = view;
  const target = pointedAt === undefined ? undefined : openedFor(loaded, pointedAt);
  const row = target === undefined ? undefined : (rows.rowOf(rowEventOf(loaded, target)) ?? rows.rowOf(target));
  const isLoaded = target !== undefined && loaded.events.has(target);
  const jump = `${visit} ${row} ${isLoaded}`;
  const last = useRef<string>(undefined);
  useEffect(() => {
    if (target === undefined || row === undefined || last.current === jump) return;
    last.current = jump;
    onJump(target);
    setOpenness((before) => withRow(before, target, true));
    virtualizer.scrollToIndex(row, { align: 'center' });
  }, [jump, target, row, virtualizer, setOpenness, onJump]);
  return target;
}

/** The event that is opened to show another: the call that a result answers, else the event itself. */
function openedFor({ events, callOf }: LoadedTrace, index: number): number {
  return events.get(index)?.event.type === 'tool-result' ? (callOf.get(index) ?? index) : index;
}

/** Rows move while they are measured; after this many attempts the position is final. */
const mostLooks = 12;

/**
 * Scrolls a box until the first passage that is marked in it can be seen: again after each drawing, because what is
 * above it may turn out to be higher than was thought. Each new `wanted` starts again.
 */
export function useMarkInView(box: RefObject<HTMLElement | null>, wanted: unknown): void {
  const looks = useRef<{ wanted: unknown; left: number }>({ wanted: undefined, left: 0 });
  useEffect(() => {
    if (looks.current.wanted !== wanted) looks.current = { wanted, left: mostLooks };
    const mark = wanted === undefined || looks.current.left === 0 ? null : box.current?.querySelector('mark');
    if (!mark || !box.current) return;
    looks.current.left--;
    const [inside, outside] = [mark.getBoundingClientRect(), box.current.getBoundingClientRect()];
    if (inside.top >= outside.top && inside.bottom <= outside.bottom) return;
    box.current.scrollTop += inside.top - outside.top - outside.height / 2;
  });
}

/** Whether an event is shown in the row of another. */
export function isFolded(index: number, rows: TraceView['rows'], loaded: LoadedTrace): boolean {
  const shownIn = rowEventOf(loaded, index);
  return shownIn !== index && rows.rowOf(shownIn) !== undefined;
}

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
    const row =
      from === undefined ? firstShown : rows.neighbour(from, direction, (index) => isFolded(index, rows, loaded));
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
