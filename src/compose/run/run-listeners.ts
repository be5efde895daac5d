import type { Emit, RunEvent } from '../../domain/run.ts';

/** Sends events to all listeners; one that throws is dropped with one warning, and the run goes on. */
export function fanOut(listeners: readonly Emit[], onDropped: (error: unknown) => void = warnOfDropped): Emit {
  const listening = new Set(listeners);
  return (event: RunEvent) => {
    for (const listener of listening) {
      try {
        listener(event);
      } catch (error) {
        listening.delete(listener);
        onDropped(error);
      }
    }
  };
}

function warnOfDropped(error: unknown): void {
  process.emitWarning(`A listener of run events failed and gets no more events: ${String(error)}`);
}
