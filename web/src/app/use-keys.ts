import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { isTyping } from '../kit/use-row-keys.ts';
import { createKeyReader } from './key-sequence.ts';
import { places } from './places.ts';

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
      const isSearch = meaning.kind === 'search';
      // Lists have keys of their own once one of their rows has the focus.
      if (!isSearch && document.activeElement !== document.body && document.activeElement?.tagName !== 'MAIN') return;
      const target = document.querySelector<HTMLElement>(isSearch ? '[data-search]' : '[data-row-link]');
      if (target === null) return;
      event.preventDefault();
      target.focus();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [navigate, showKeys]);
}
