import { type ReactNode, useId } from 'react';
import { classes } from './classes.ts';

/** A box of limited height that scrolls, also by keyboard. */
export function ScrollBox({
  label,
  maxHeight,
  children,
  isBare = false,
}: {
  label: string;
  maxHeight: number;
  children: ReactNode;
  /** Without edges of its own, where it stands in something that has some. */
  isBare?: boolean;
}) {
  const id = useId();
  return (
    <div
      role="region"
      aria-labelledby={id}
      tabIndex={0}
      style={{ maxHeight }}
      className={classes('overflow-auto -outline-offset-2', !isBare && 'rounded-md border border-line bg-raised/40')}
    >
      <span id={id} className="sr-only">
        {label}
      </span>
      {children}
    </div>
  );
}
