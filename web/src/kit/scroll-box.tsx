import { type ReactNode, type RefObject, useId, useLayoutEffect, useRef, useState } from 'react';
import { classes } from './classes.ts';

/** A box of limited height that scrolls, also by keyboard. It holds the place of hidden texts, which would widen the page. */
export function ScrollBox({
  label,
  maxHeight,
  children,
  isBare = false,
}: {
  label: string;
  maxHeight: number;
  children: ReactNode;
  /** Without a border, inside of something that has one. */
  isBare?: boolean;
}) {
  const id = useId();
  const [ref] = useOverflow<HTMLDivElement>();
  return (
    <div
      ref={ref}
      role="group"
      aria-labelledby={id}
      tabIndex={0}
      style={{ maxHeight }}
      className={classes(
        'relative overflow-auto -outline-offset-2',
        !isBare && 'rounded-md border border-line bg-raised/40',
      )}
    >
      <span id={id} className="sr-only">
        {label}
      </span>
      {children}
    </div>
  );
}

/** The width of an element, followed as it changes; 0 until it is known. */
export function useWidth<T extends Element>(): readonly [RefObject<T | null>, number] {
  const ref = useRef<T>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = ref.current;
    if (element === null) return;
    setWidth(element.getBoundingClientRect().width);
    const observer = new ResizeObserver(([entry]) => entry && setWidth(entry.contentRect.width));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [ref, width];
}

/**
 * Whether an element is wider inside than outside: then it scrolls, and has to be reachable by keyboard. The sides at which
 * more follows are marked on it, and the style sheet fades those.
 */
export function useOverflow<T extends HTMLElement>(): readonly [RefObject<T | null>, boolean] {
  const ref = useRef<T>(null);
  const [isOverflowing, setIsOverflowing] = useState(false);
  useLayoutEffect(() => {
    const element = ref.current;
    if (element === null) return;
    const look = (): void => {
      markSides(element);
      setIsOverflowing(element.scrollWidth > element.clientWidth);
    };
    look();
    const observer = new ResizeObserver(look);
    observer.observe(element);
    // The content can grow while the box keeps its size.
    for (const child of element.children) observer.observe(child);
    const onScroll = (): void => markSides(element);
    element.addEventListener('scroll', onScroll, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', onScroll);
    };
  }, []);
  return [ref, isOverflowing];
}

/** Names the sides at which more can be scrolled to, and how much of the right one a scroll bar takes. */
function markSides(element: HTMLElement): void {
  const { scrollLeft, scrollWidth, clientWidth, offsetWidth } = element;
  const isMoreRight = scrollLeft + clientWidth < scrollWidth - 1;
  const more = [scrollLeft > 1 && 'left', isMoreRight && 'right'].filter(Boolean).join(' ');
  if (element.dataset.more !== more) element.dataset.more = more;
  element.style.setProperty('--scroll-bar', `${offsetWidth - clientWidth}px`);
}
