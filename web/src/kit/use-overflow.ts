import { type RefObject, useLayoutEffect, useRef, useState } from 'react';

/** Whether an element is wider inside than outside: then it scrolls, and has to be reachable by keyboard. */
export function useOverflow<T extends Element>(): readonly [RefObject<T | null>, boolean] {
  const ref = useRef<T>(null);
  const [isOverflowing, setIsOverflowing] = useState(false);
  useLayoutEffect(() => {
    const element = ref.current;
    if (element === null) return;
    const look = (): void => setIsOverflowing(element.scrollWidth > element.clientWidth);
    look();
    const observer = new ResizeObserver(look);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [ref, isOverflowing];
}
