import { type ReactNode, useId } from 'react';
import { classes } from './classes.ts';

/** A part of a page with its title and what can be done there. */
export function Card({
  title,
  actions,
  children,
  isFlush = false,
}: {
  title?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
  /** Its content reaches the edges, as tables do. */
  isFlush?: boolean;
}) {
  const id = useId();
  return (
    <section
      aria-labelledby={title === undefined ? undefined : id}
      className="min-w-0 rounded-lg border border-line bg-surface"
    >
      {(title !== undefined || actions !== undefined) && (
        <div className="flex min-h-11 flex-wrap items-center justify-between gap-x-3 gap-y-1 border-b border-line px-4 py-1.5">
          <h2 id={id} className="text-sm font-semibold">
            {title}
          </h2>
          {actions !== undefined && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
        </div>
      )}
      <div className={classes(!isFlush && 'p-4')}>{children}</div>
    </section>
  );
}
