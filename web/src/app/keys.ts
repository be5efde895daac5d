import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { isTyping } from '../kit/use-row-keys.ts';
import { places } from './navigation.tsx';

/** The action of a key outside of text fields. */
type KeyMeaning =
  | { readonly kind: 'go'; readonly key: string }
  | { readonly kind: 'search' | 'keys' | 'first-row' }
  | null;

/** How long `g` waits for the key that follows. */
const patienceMs = 1_500;

/** Reads keys one after the other; `g` says that the next one names a page. */
export function createKeyReader(): (key: string, nowMs: number) => KeyMeaning {
  let leaderAtMs: number | null = null;
  return (key, nowMs) => {
    const isAfterLeader = leaderAtMs !== null && nowMs - leaderAtMs <= patienceMs;
    leaderAtMs = null;
    if (isAfterLeader && /^[a-z]$/.test(key)) return { kind: 'go', key };
    if (key === 'g') {
      leaderAtMs = nowMs;
      return null;
    }
    if (key === '/') return { kind: 'search' };
    if (key === '?') return { kind: 'keys' };
    return key === 'j' || key === 'k' ? { kind: 'first-row' } : null;
  };
}

/** The keys that work on every page. Those that a part of the page has taken are left alone. */
export function useKeys(showKeys: () => void): void {
  const navigate = useNavigate();
  useEffect(() => {
    const read = createKeyReader();
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey || isTyping(event.target)) return;
      if (document.querySelector('[role="dialog"]') !== null) return;
      const meaning = read(event.key, event.timeStamp);
      if (meaning === null) return;
      if (meaning.kind === 'go') {
        const place = places.find(({ key }) => key === meaning.key);
        if (place !== undefined) void navigate({ to: place.to });
        return;
      }
      if (meaning.kind === 'keys') {
        showKeys();
        return;
      }
      if (meaning.kind === 'search') focusSearch(event);
      else focusFirstRow(event);
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [navigate, showKeys]);
}

/** Puts the cursor where one can search on this page. */
export function focusSearch(event: KeyboardEvent): void {
  focusOn('[data-search]', event);
}

/** Lists have their own keys once one of their rows has the focus, and other controls may have theirs. */
export function focusFirstRow(event: KeyboardEvent): void {
  if (document.activeElement instanceof HTMLElement && document.activeElement.tabIndex >= 0) return;
  focusOn('[data-row-link]', event);
}

function focusOn(selector: string, event: KeyboardEvent): void {
  const target = document.querySelector<HTMLElement>(selector);
  if (target === null) return;
  event.preventDefault();
  target.focus();
}

/** Ctrl+K or ⌘K, also in fields; not while a dialog is open. */
export function usePaletteKey(open: () => void): void {
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      const isPaletteKey = event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey) && !event.altKey;
      if (!isPaletteKey || event.shiftKey || event.defaultPrevented) return;
      if (document.querySelector('[role="dialog"]') !== null) return;
      event.preventDefault();
      open();
    };
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, [open]);
}

/** The actions of keys on a page, by the name of the key. */
type PageKeys = Readonly<Record<string, (event: KeyboardEvent) => void>>;

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
