import { X } from 'lucide-react';
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useRef, useState } from 'react';
import type { Tone } from './badge.tsx';
import { classes } from './classes.ts';

interface Toasts {
  /** Says something for a few seconds; what went wrong stays longer. */
  readonly show: (message: string, tone?: Tone) => void;
}

interface ShownToast {
  readonly id: number;
  readonly message: string;
  readonly tone: Tone;
}

const ToastContext = createContext<Toasts | null>(null);
const mostAtOnce = 4;

/** Short messages that need no answer. */
export function useToast(): Toasts {
  const toasts = useContext(ToastContext);
  if (toasts === null) throw new Error('There is no toast provider around this component');
  return toasts;
}

/** The place where messages appear; stands around the whole program. */
export function ToastArea({ children }: { children: ReactNode }) {
  const [shown, setShown] = useState<readonly ShownToast[]>([]);
  const nextId = useRef(0);
  const show = useCallback((message: string, tone: Tone = 'neutral') => {
    nextId.current += 1;
    const id = nextId.current;
    setShown((known) => [...known, { id, message, tone }].slice(-mostAtOnce));
  }, []);
  const dismiss = useCallback((id: number) => setShown((known) => known.filter((toast) => toast.id !== id)), []);
  const toasts = useMemo(() => ({ show }), [show]);
  return (
    <ToastContext value={toasts}>
      {children}
      <ul
        aria-label="Messages"
        aria-live="polite"
        className="pointer-events-none fixed right-4 bottom-4 z-[60] flex w-[min(22rem,calc(100vw-2rem))] flex-col gap-2"
      >
        {shown.map((toast) => (
          <ToastCard key={toast.id} toast={toast} dismiss={dismiss} />
        ))}
      </ul>
    </ToastContext>
  );
}

const edges: Readonly<Record<Tone, string>> = {
  neutral: 'border-l-edge',
  good: 'border-l-pass',
  bad: 'border-l-fail',
  warn: 'border-l-error',
  info: 'border-l-accent',
};

/** It waits as long as it is pointed at or has the focus. */
function ToastCard({ toast, dismiss }: { toast: ShownToast; dismiss: (id: number) => void }) {
  const [isHeld, setIsHeld] = useState(false);
  const shownMs = toast.tone === 'bad' ? 10_000 : 4_000;
  useEffect(() => {
    if (isHeld) return;
    const timer = setTimeout(() => dismiss(toast.id), shownMs);
    return () => clearTimeout(timer);
  }, [isHeld, dismiss, toast.id, shownMs]);
  return (
    <li
      onPointerEnter={() => setIsHeld(true)}
      onPointerLeave={() => setIsHeld(false)}
      onFocus={() => setIsHeld(true)}
      onBlur={() => setIsHeld(false)}
      className={classes(
        'pointer-events-auto flex items-start gap-2 rounded-lg border border-l-4 border-line bg-surface py-2 pr-2 pl-3 shadow-popup',
        edges[toast.tone],
      )}
    >
      <p className="min-w-0 flex-1">{toast.message}</p>
      <button
        type="button"
        aria-label="Dismiss"
        onClick={() => dismiss(toast.id)}
        className="rounded p-1 text-muted hover:bg-raised hover:text-ink"
      >
        <X size={14} aria-hidden />
      </button>
    </li>
  );
}
