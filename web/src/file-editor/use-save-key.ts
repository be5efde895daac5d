import { useEffect, useRef } from 'react';

/** Ctrl+S, or the same key of a Mac, saves; the browser's own dialog never opens. */
export function useSaveKey(save: () => Promise<void>, isWanted: boolean): void {
  const latest = useRef(save);
  useEffect(() => {
    latest.current = save;
  });
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 's' || !(event.ctrlKey || event.metaKey) || event.altKey) return;
      event.preventDefault();
      if (isWanted) void latest.current();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [isWanted]);
}
