import { Toast } from '@base-ui/react/toast';
import { X } from 'lucide-react';
import { type ReactNode, useMemo } from 'react';
import type { Tone } from './badge.tsx';
import { classes } from './classes.ts';

interface Toasts {
  /** Says something for a few seconds; what went wrong stays longer. */
  readonly show: (message: string, tone?: Tone) => void;
}

/** Short messages that need no answer. */
export function useToast(): Toasts {
  const manager = Toast.useToastManager();
  const { add } = manager;
  return useMemo(
    () => ({
      show: (message, tone = 'neutral') =>
        void add({
          description: message,
          type: tone,
          priority: tone === 'bad' ? 'high' : 'low',
          timeout: tone === 'bad' ? 10_000 : 4_000,
        }),
    }),
    [add],
  );
}

const edges: Readonly<Record<string, string>> = {
  good: 'border-l-pass',
  bad: 'border-l-fail',
  warn: 'border-l-error',
  info: 'border-l-accent',
};

/** The place where messages appear; stands around the whole program. */
export function ToastArea({ children }: { children: ReactNode }) {
  return (
    <Toast.Provider limit={4}>
      {children}
      <Toast.Portal>
        <Toast.Viewport className="fixed right-4 bottom-4 z-50 flex w-[min(22rem,calc(100vw-2rem))] flex-col gap-2">
          <ToastList />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

function ToastList() {
  const { toasts } = Toast.useToastManager();
  return toasts.map((toast) => (
    <Toast.Root
      key={toast.id}
      toast={toast}
      className={classes(
        'rounded-lg border border-l-4 border-line bg-surface text-ink shadow-popup transition-opacity data-ending-style:opacity-0 data-limited:hidden data-starting-style:opacity-0',
        edges[toast.type ?? ''] ?? 'border-l-edge',
      )}
    >
      <Toast.Content className="flex items-start gap-2 py-2 pr-2 pl-3">
        <Toast.Description className="min-w-0 flex-1 text-sm" />
        <Toast.Close aria-label="Dismiss" className="rounded p-1 text-muted hover:bg-raised hover:text-ink">
          <X size={14} aria-hidden />
        </Toast.Close>
      </Toast.Content>
    </Toast.Root>
  ));
}
