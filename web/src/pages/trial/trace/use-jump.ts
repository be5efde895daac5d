import type { Virtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef } from 'react';
import { withRow } from './openness.ts';
import type { LoadedTrace } from './use-trace-events.ts';
import type { TraceView } from './use-trace-view.ts';

interface Jump {
  readonly pointedAt: number | undefined;
  /** Another value after each visit to an address, the same one included. */
  readonly visit: string;
  readonly view: TraceView;
  readonly loaded: LoadedTrace;
  readonly virtualizer: Virtualizer<HTMLDivElement, Element>;
  readonly onJump: (index: number) => void;
}

/** Opens the event that the address points at and brings it into view; tells which row that is: a result is in its call. */
export function useJump({ pointedAt, visit, view, loaded, virtualizer, onJump }: Jump): number | undefined {
  const { rows, setOpenness } = view;
  const target = pointedAt === undefined ? undefined : (loaded.callOf.get(pointedAt) ?? pointedAt);
  const row = target === undefined ? undefined : rows.rowOf(target);
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
