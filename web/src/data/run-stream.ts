import type { RunStreamEvent } from '../../../src/entry/server/api/runs.ts';
import { backoffMs } from './backoff.ts';

/** The part of an `EventSource` that is used. */
export type StreamSource = EventTarget & Pick<EventSource, 'readyState' | 'close'>;

/** `readyState` of a source that has given up. */
const closed = 2;

interface RunStreamParts {
  readonly open: () => StreamSource;
  readonly onEvent: (event: RunStreamEvent) => void;
  /** Whether the stream is open; called with each change. */
  readonly onOpen: (isOpen: boolean) => void;
  readonly wait?: (callback: () => void, ms: number) => () => void;
}

/**
 * Follows the event stream of a run until the run has ended. A source that lost its server comes back by itself, from
 * the event after the last one that arrived; one that was refused gives up, and another is opened after a while. The
 * function that is returned stops following.
 */
export function followRun({ open, onEvent, onOpen, wait = waitByTimer }: RunStreamParts): () => void {
  let source: StreamSource | null = null;
  let cancelWait: (() => void) | null = null;
  let attempt = 0;

  const stop = (): void => {
    cancelWait?.();
    source?.close();
    source = null;
  };

  const start = (): void => {
    const opened = open();
    source = opened;
    opened.addEventListener('open', () => onOpen(true));
    opened.addEventListener('message', (message) => {
      const event = message instanceof MessageEvent ? readEvent(message.data) : null;
      if (event === null || source !== opened) return;
      attempt = 0;
      onEvent(event);
      if (event.type === 'finished' || event.type === 'failed') stop();
    });
    opened.addEventListener('error', () => {
      if (source !== opened) return;
      onOpen(false);
      if (opened.readyState !== closed) return;
      source = null;
      cancelWait = wait(start, backoffMs(attempt));
      attempt += 1;
    });
  };

  start();
  return stop;
}

/** What a newer server sends and this page does not know is passed over. */
function readEvent(data: unknown): RunStreamEvent | null {
  try {
    const event: unknown = JSON.parse(String(data));
    const isKnown =
      typeof event === 'object' &&
      event !== null &&
      'type' in event &&
      ['progress', 'warning', 'finished', 'failed'].includes(String(event.type));
    return isKnown ? (event as RunStreamEvent) : null;
  } catch {
    return null;
  }
}

function waitByTimer(callback: () => void, ms: number): () => void {
  const timer = setTimeout(callback, ms);
  return () => clearTimeout(timer);
}
