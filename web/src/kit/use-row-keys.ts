import { type KeyboardEvent, type RefObject, useLayoutEffect, useRef } from 'react';

/** Where a key leads from a row; null for keys that mean something else. */
export function rowAfterKey(key: string, index: number, count: number): number | null {
  if (count === 0) return null;
  const last = count - 1;
  if (key === 'ArrowDown' || key === 'j') return Math.min(index + 1, last);
  if (key === 'ArrowUp' || key === 'k') return Math.max(index - 1, 0);
  if (key === 'PageDown') return Math.min(index + 10, last);
  if (key === 'PageUp') return Math.max(index - 10, 0);
  if (key === 'Home') return 0;
  return key === 'End' ? last : null;
}

/** Moves between the links of rows by keyboard, also to rows that are not drawn yet. */
export function useRowKeys(
  body: RefObject<HTMLElement | null>,
  count: number,
  bringIntoSight: (index: number) => void,
): (event: KeyboardEvent) => void {
  const wanted = useRef<number | null>(null);
  const focusWanted = (): void => {
    if (wanted.current === null) return;
    const link = body.current?.querySelector<HTMLElement>(`[data-index="${wanted.current}"] [data-row-link]`);
    if (!link) return;
    wanted.current = null;
    link.focus({ preventScroll: true });
  };
  useLayoutEffect(focusWanted);
  return (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || isTyping(event.target)) return;
    const row = event.target instanceof Element ? event.target.closest('[data-index]') : null;
    const next = row === null ? null : rowAfterKey(event.key, Number(row.getAttribute('data-index')), count);
    if (next === null) return;
    event.preventDefault();
    wanted.current = next;
    bringIntoSight(next);
    focusWanted();
  };
}

/** Whether keys go into a text there. */
export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.matches('input:not([type="checkbox"]):not([type="radio"]), textarea, select'))
  );
}
