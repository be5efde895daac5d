import { useEffect, useState } from 'react';
import type { TrialAddress } from '../use-trial-address.ts';

/** Goes to a hit of the text in the field; those that are still looked for are waited for. */
export function useStepToHit(
  find: string,
  hits: readonly number[] | undefined,
  toHit: (direction: 1 | -1) => void,
  change: TrialAddress['change'],
): (direction: 1 | -1, text: string) => void {
  const [awaited, setAwaited] = useState<{ readonly text: string; readonly direction: 1 | -1 }>();
  useEffect(() => {
    if (!awaited || awaited.text !== find || hits === undefined) return;
    setAwaited(undefined);
    toHit(awaited.direction);
  });
  return (direction, text) => {
    if (text === find && hits !== undefined) return toHit(direction);
    setAwaited({ text, direction });
    if (text !== find) change({ text, event: undefined, quote: undefined });
  };
}
