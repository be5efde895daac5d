import { useEffect } from 'react';

/** Browsers that do not say when they have nothing to do are given this long. */
const laterMs = 500;

/** Loads a part of the program that is probably wanted next, once the page has nothing else to do. */
export function useLoadedAhead(load: () => Promise<unknown>): void {
  useEffect(() => {
    // Where it cannot be loaded now, it is tried again when it is wanted, and the failure is shown then.
    const begin = (): void => void load().catch(() => undefined);
    if (typeof requestIdleCallback === 'function') {
      const idle = requestIdleCallback(begin);
      return () => cancelIdleCallback(idle);
    }
    const timer = setTimeout(begin, laterMs);
    return () => clearTimeout(timer);
  }, [load]);
}
