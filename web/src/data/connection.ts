import { createContext, useContext, useSyncExternalStore } from 'react';
import { ApiFailure } from './api.ts';

/** How long to wait before the next attempt: doubled each time up to a limit, and never all clients at once. */
export function backoffMs(attempt: number, { firstMs = 500, mostMs = 10_000, random = Math.random } = {}): number {
  const ceiling = Math.min(mostMs, firstMs * 2 ** Math.min(attempt, 20));
  return ceiling * (0.75 + random() / 4);
}

/** Whether the server is there, and whether it knows this browser. */
export type ConnectionState = 'connected' | 'away' | 'signed-out';

export interface Connection {
  readonly state: () => ConnectionState;
  readonly subscribe: (listener: () => void) => () => void;
  /** Reports the outcome of a request. */
  readonly heard: (failure: unknown) => void;
  /** Tries at once instead of waiting. */
  readonly tryNow: () => void;
}

interface ConnectionParts {
  /** Asks the server for something small; throws like any request. */
  readonly ask: () => Promise<unknown>;
  /** Called when the server is back, to refetch the shown data. */
  readonly onReturn: () => void;
  readonly wait?: (callback: () => void, ms: number) => () => void;
}

/** Keeps watch of the server: once a request fails for want of it, asks again and again until it is back. */
export function createConnection({ ask, onReturn, wait = waitByTimer }: ConnectionParts): Connection {
  const listeners = new Set<() => void>();
  let state: ConnectionState = 'connected';
  let attempt = 0;
  let cancelWait: (() => void) | null = null;

  const become = (next: ConnectionState): void => {
    const hasReturned = next === 'connected' && state !== 'connected';
    if (next === state) return;
    state = next;
    for (const listener of listeners) listener();
    if (hasReturned) onReturn();
  };

  const tryAgain = async (): Promise<void> => {
    cancelWait?.();
    cancelWait = null;
    let failure: unknown = null;
    try {
      await ask();
    } catch (error) {
      failure = error;
    }
    hear(failure);
  };

  const hear = (failure: unknown): void => {
    const next = stateAfter(failure);
    if (next === 'connected') {
      attempt = 0;
      cancelWait?.();
      cancelWait = null;
    } else if (cancelWait === null) {
      cancelWait = wait(() => void tryAgain(), backoffMs(attempt));
      attempt += 1;
    }
    become(next);
  };

  return {
    state: () => state,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    heard: hear,
    tryNow: () => {
      attempt = 0;
      void tryAgain();
    },
  };
}

/** A refusal is an answer too: only silence and an unknown browser are something else than connected. */
function stateAfter(failure: unknown): ConnectionState {
  if (!(failure instanceof ApiFailure)) return 'connected';
  if (failure.isAway) return 'away';
  return failure.isSignedOut ? 'signed-out' : 'connected';
}

function waitByTimer(callback: () => void, ms: number): () => void {
  const timer = setTimeout(callback, ms);
  return () => clearTimeout(timer);
}

/** The watch over the server, made once when the program starts. */
export const ConnectionContext = createContext<Connection | null>(null);

/** The connection state, for code that hears from the server in another way than by requests. */
export function useConnection(): Connection {
  const connection = useContext(ConnectionContext);
  if (connection === null) throw new Error('There is no connection around this component');
  return connection;
}

/** Whether the server is there. */
export function useConnectionState(): ConnectionState {
  const connection = useConnection();
  return useSyncExternalStore(connection.subscribe, connection.state);
}
