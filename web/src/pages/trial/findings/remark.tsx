import { Info, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { classes } from '../../../kit/classes.ts';

/** Something that is good to know beside the results. */
export function Remark({ tone, children }: { tone: 'info' | 'warn'; children: ReactNode }) {
  const Icon = tone === 'warn' ? TriangleAlert : Info;
  return (
    <div
      className={classes(
        'flex gap-2 rounded-md px-3 py-2 text-sm',
        tone === 'warn' ? 'bg-error-ground text-ink' : 'bg-raised text-ink',
      )}
    >
      <Icon
        size={15}
        aria-hidden
        className={classes('mt-0.5 shrink-0', tone === 'warn' ? 'text-error' : 'text-muted')}
      />
      <div className="min-w-0">{children}</div>
    </div>
  );
}
