import { useEffect, useRef } from 'react';
import { createKeyReader } from '../../app/key-sequence.ts';
import { isTyping } from '../../kit/use-row-keys.ts';

/** What keys do on a page, by the name of the key. */
export type PageKeys = Readonly<Record<string, (event: KeyboardEvent) => void>>;

/** Listens for keys that are pressed alone and outside of fields and dialogs; one that follows `g` names another page. */
export function usePageKeys(keys: PageKeys): void {
  const latest = useRef(keys);
  useEffect(() => {
    latest.current = keys;
  });
  useEffect(() => {
    const read = createKeyReader();
    const listen = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (document.querySelector('[role="dialog"]') !== null) return;
      if (read(event.key, event.timeStamp)?.kind !== 'go') latest.current[event.key]?.(event);
    };
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, []);
}
