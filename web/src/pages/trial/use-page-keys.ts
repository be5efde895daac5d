import { useEffect, useRef } from 'react';
import { isTyping } from '../../kit/use-row-keys.ts';

/** What keys do on a page, by the name of the key. */
export type PageKeys = Readonly<Record<string, (event: KeyboardEvent) => void>>;

/** Listens for keys that are pressed alone and outside of fields and dialogs. */
export function usePageKeys(keys: PageKeys): void {
  const latest = useRef(keys);
  useEffect(() => {
    latest.current = keys;
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (document.querySelector('[role="dialog"]') !== null) return;
      latest.current[event.key]?.(event);
    };
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, []);
}
