import { useEffect } from 'react';

/**
 * Keeps the focus in the page: when the element that has it is removed or disabled, as by a step to another page, the
 * nearest part of the page around it that is left takes over, so Tab and screen readers go on from there.
 */
export function useKeptFocus(): void {
  useEffect(() => {
    let path: readonly Element[] = [];
    const remember = (event: FocusEvent): void => {
      path = event.target instanceof Element ? pathOf(event.target) : [];
    };
    const look = (): void => {
      const [focused] = path;
      if (focused === undefined || (focused.isConnected && !focused.matches(':disabled'))) return;
      const isElsewhere = document.activeElement !== document.body && document.activeElement !== focused;
      const left = path.find((element) => element !== focused && element.isConnected);
      path = [];
      if (!isElsewhere && left instanceof HTMLElement) focusPart(left);
    };
    const observer = new MutationObserver(look);
    observer.observe(document.body, {
      childList: true,
      subtree: true,
      attributes: true,
      attributeFilter: ['disabled'],
    });
    document.addEventListener('focusin', remember);
    return () => {
      observer.disconnect();
      document.removeEventListener('focusin', remember);
    };
  }, []);
}

/** An element and what it is in, up to the content of the page. */
function pathOf(element: Element): Element[] {
  const path: Element[] = [];
  for (let at: Element | null = element; at !== null && at !== document.body; at = at.parentElement) path.push(at);
  return path;
}

/** Gives the focus to a part of the page that usually cannot have it. */
function focusPart(part: HTMLElement): void {
  const isFocusable = part.hasAttribute('tabindex');
  if (!isFocusable) part.tabIndex = -1;
  part.focus({ preventScroll: true });
  if (!isFocusable) part.addEventListener('blur', () => part.removeAttribute('tabindex'), { once: true });
}
