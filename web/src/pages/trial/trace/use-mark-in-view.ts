import { type RefObject, useEffect, useRef } from 'react';

/** What is drawn moves while rows are measured; after so many looks it is left where it is. */
const mostLooks = 12;

/**
 * Scrolls a box until the first passage that is marked in it can be seen: again after each drawing, because what is
 * above it may turn out to be higher than was thought. Each new `wanted` begins anew.
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
